// What a release must satisfy, and what a table gives away: the Policy and Audit pages as a person uses them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { axe, choose, download, eventually, file, folder, loaded, step, tests, throng } from "./support.mjs";

const onPage = tests();
const card = (page, title) => page.locator(".card", { has: page.getByRole("heading", { name: title }) });
const TABLE =
  "age,sex,disease,pay\n21,F,flu,low\n23,M,flu,high\n35,M,cold,low\n38,F,cancer,low\n52,F,cold,high\n57,F,flu,low\n";
/// The table above with age and sex known, disease and pay sensitive.
const small = async (page) => {
  await choose(page, file("small.csv", TABLE));
  await loaded(page, "6 rows");
  await step(page, "Columns");
  for (const [column, role] of [["age", "quasi"], ["sex", "quasi"], ["disease", "sensitive"], ["pay", "sensitive"]]) {
    await page.getByLabel(`Role of ${column}`).selectOption(role);
  }
};

onPage("without a table, both pages say what to do", async (page) => {
  await step(page, "Policy");
  await page.locator("main").getByRole("button", { name: "Load a table" }).waitFor();
  await step(page, "Audit");
  await page.getByText("Drop an anonymized table here").waitFor();
  await choose(page, file("small.csv", TABLE));
  await page.getByRole("heading", { name: "What it achieves" }).waitFor();
});

onPage("models are cards that are held against the data as they are typed", async (page) => {
  await small(page);
  await step(page, "Policy");
  await page.getByText("Nothing is asked of a release yet").waitFor();
  await page.getByRole("button", { name: /k = 5/ }).click();
  await card(page, "k-anonymity").getByText("This table allows k up to 6.").waitFor();
  await page.getByLabel("k of k-anonymity").fill("9");
  await card(page, "k-anonymity").getByText("“k” is 9, but the table has 6 rows. Use at most 6.").waitFor();
  assert.equal(await page.getByLabel("k of k-anonymity").getAttribute("aria-invalid"), "true");
  await page.locator("nav").getByText("1 mistake").waitFor();
  await page.getByRole("button", { name: "Add Entropy ℓ-diversity" }).click();
  const entropy = card(page, "Entropy ℓ-diversity · disease");
  await entropy.getByText("This table allows ℓ up to 2.7494.").waitFor();
  await page.getByLabel("ℓ of Entropy ℓ-diversity").fill("2.8");
  await entropy.getByText("More only by suppressing some rows.").waitFor();
  // A number is one step back, however many keys it took.
  await page.getByLabel("ℓ of Entropy ℓ-diversity").pressSequentially("5");
  await page.getByRole("heading", { name: "Policy", level: 1 }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await eventually(async () => assert.equal(await page.getByLabel("ℓ of Entropy ℓ-diversity").inputValue(), "2"));
  await entropy.getByText("More only by suppressing some rows.").waitFor({ state: "detached" });
  await entropy.getByText("This table allows ℓ up to 2.7494.").waitFor();
  await page.getByRole("button", { name: "Add (τ, ℓ)-diversity" }).click();
  await page.getByLabel("τ of (τ, ℓ)-diversity").fill("0.4");
  await card(page, "(τ, ℓ)-diversity").getByText("Only by generalizing some of the sensitive values.").waitFor();
  await card(page, "(τ, ℓ)-diversity").getByRole("button", { name: /Remove/ }).click();
  await card(page, "(τ, ℓ)-diversity").waitFor({ state: "detached" });
  // The formula is one click away.
  await entropy.getByText("Formula").click();
  await entropy.getByText("ln ℓ").first().waitFor();
});

onPage("values that may be known are picked from the data and saved in the policy", async (page) => {
  await small(page);
  await step(page, "Policy");
  await page.getByRole("button", { name: "Add Recursive (c, ℓ)-diversity" }).click();
  const recursive = card(page, "Recursive (c, ℓ)-diversity · disease");
  await recursive.getByLabel("May be known").fill("flu");
  await page.keyboard.press("Enter");
  await recursive.getByRole("button", { name: "flu remove" }).waitFor();
  await recursive.getByLabel("Nobody may be cleared of").fill("cold");
  await page.keyboard.press("Enter");
  await page.getByLabel("c₂ % of Recursive").fill("5");
  await recursive.getByLabel("even when the other sensitive columns are known").check();
  await recursive.getByLabel("even when the other sensitive columns are known").and(page.locator(":checked")).waitFor();
  const policy = JSON.parse(await download(page, () => page.getByRole("button", { name: "Save policy" }).click()));
  assert.deepEqual(policy.privacy, [
    { model: "recursive-cl-diversity", attribute: "disease", c: 3, l: 2, dont_care: ["flu"], no_negative: ["cold"], c2: 5, jointly: true },
  ]);
  // A reload brings the policy back for the same columns.
  await page.reload();
  await step(page, "Data");
  await choose(page, file("small.csv", TABLE));
  await loaded(page, "6 rows");
  await step(page, "Policy");
  await card(page, "Recursive (c, ℓ)-diversity · disease").getByRole("button", { name: "flu remove" }).waitFor();
});

onPage("Safe Harbor sets dates, ages and postcodes, and can be undone", async (page) => {
  await choose(page, file("patients.csv", "birth date,age,zip,disease\n1931-02-03,93,13053,flu\n1990-05-06,34,13068,cold\n1930-01-01,94,14850,flu\n1985-07-08,39,13053,cold\n"));
  await loaded(page, "4 rows");
  await step(page, "Policy");
  await page.getByRole("button", { name: "Set the columns so" }).click();
  await page.getByText("3 columns never shown in full detail.").waitFor();
  const policy = JSON.parse(await download(page, () => page.getByRole("button", { name: "Save policy" }).click()));
  assert.deepEqual(["birth date", "age", "zip"].map((name) => policy.columns[name].from_level), [1, 1, 2]);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("never shown in full detail").waitFor({ state: "detached" });
});

onPage("the audit is, byte for byte, what the runner says", async (page) => {
  await small(page);
  await step(page, "Policy");
  await page.getByRole("button", { name: /k = 3/ }).click();
  await page.getByRole("button", { name: "Add t-closeness" }).click();
  await card(page, "t-closeness").waitFor();
  const policy = await download(page, () => page.getByRole("button", { name: "Save policy" }).click());
  await step(page, "Audit");
  await page.getByText("missed by 6 rows in 6 classes").first().waitFor();
  const audit = await download(page, () => page.getByRole("button", { name: "Save audit" }).click());
  const [table, rules] = [join(folder, "small.csv"), join(folder, "small.policy.json")];
  writeFileSync(rules, policy);
  const runner = execFileSync(throng, ["check", rules, table, "--json"]).toString();
  assert.equal(audit, runner);
});

onPage("an audit shows classes, people and attacks, and follows the roles", async (page) => {
  await choose(page, file("audit.csv", "zip,age,condition\n" + ["130**,<30,heart", "130**,<30,heart", "130**,<30,viral", "130**,<30,viral", "148**,>40,cancer", "148**,>40,heart", "148**,>40,viral", "148**,>40,viral", "130**,3*,cancer", "130**,3*,cancer", "130**,3*,cancer", "130**,3*,cancer"].join("\n") + "\n"));
  await loaded(page, "12 rows");
  await step(page, "Audit");
  for (const [column, role] of [["zip", "quasi"], ["age", "quasi"], ["condition", "sensitive"]]) {
    await page.getByLabel(`Role of ${column}`).selectOption(role);
  }
  await page.locator(".stat", { hasText: "4rows in the smallest class" }).waitFor();
  await page.locator(".stat", { hasText: "4rows whose condition is given away" }).waitFor();
  const heat = page.locator(".heat tbody tr");
  assert.equal(await heat.count(), 3);
  await heat.first().getByText("130**, 3*").waitFor();
  await page.getByRole("button", { name: "130**, <30" }).click();
  await page.getByRole("heading", { name: "130**, <30" }).waitFor();
  await page.getByLabel("Row", { exact: true }).fill("5");
  await page.getByRole("button", { name: "Attack", exact: true }).click();
  await page.getByText("finds 4 rows, and is").waitFor();
  await page.getByText("25 % sure").waitFor();
  await page.getByLabel("Row", { exact: true }).fill("13");
  await page.getByRole("button", { name: "Attack", exact: true }).click();
  await page.getByText("There is no such row. Name a row from 1 to 12.").waitFor();
  await page.getByLabel("Role of age").selectOption("keep");
  await page.locator(".heat tbody tr").nth(2).waitFor({ state: "detached" });
});

for (const colorScheme of ["light", "dark"]) {
  onPage(`the pages have no serious accessibility findings (${colorScheme})`, async (page) => {
    await small(page);
    await step(page, "Policy");
    await page.getByRole("button", { name: /k = 20/ }).click();
    await page.locator(".card .note.bad").waitFor();
    for (const model of ["Entropy", "Recursive", "t-closeness", "(α, k)"]) {
      await page.getByRole("button", { name: `Add ${model}` }).first().click();
      await page.locator(".card", { hasText: model }).first().waitFor();
    }
    assert.deepEqual(await axe(page), []);
    await step(page, "Audit");
    await page.locator(".heat tbody tr").first().waitFor();
    await page.getByText("in breach").waitFor();
    assert.deepEqual(await axe(page), []);
  }, { colorScheme });
}
