// Findings on the page: told where they are met, what they stop, and how they are decided.
import assert from "node:assert/strict";
import { axe, choose, download, eventually, file, loaded, part, step, tests } from "./support.mjs";

const onPage = tests();

/// Twenty-four people. With a repair: a second column `name`, and a line with a cell too many.
const TABLE = (repaired) =>
  [`name,age,disease,${repaired ? "name" : "ward"},years`]
    .concat(Array.from({ length: 24 }, (_, row) => `Person${row},${30 + (row % 4)},${["flu", "cold"][row % 2]},${repaired ? `Person${row}` : row === 3 ? "own" : "w"},${row % 6 ? 1 + (row % 4) : 9999}`))
    .concat(repaired ? ["Smith, Ann,31,flu,Smith,2"] : [])
    .join("\n") + "\n";

async function open(page, repaired) {
  await choose(page, file(repaired ? "repaired.csv" : "fine.csv", TABLE(repaired)));
  await loaded(page, repaired ? "25 rows" : "24 rows");
}

async function roles(page, those) {
  await step(page, "Columns");
  for (const [column, role] of those) await page.getByLabel(`Role of ${column}`, { exact: true }).selectOption(role);
}

const demand = async (page) => {
  await step(page, "Policy");
  await page.getByRole("button", { name: /k = 3/ }).click();
  await page.locator(".card").first().waitFor();
};

const run = (page) => page.locator("main").getByRole("button", { name: "Run", exact: true }).click();
const box = (page, title) => page.getByRole("region", { name: title });

onPage("a repaired file is told, holds the run back, and is released once accepted", async (page) => {
  await open(page, true);
  const told = box(page, "Findings in the file");
  await told.getByText("Nothing is released of this file until").waitFor();
  for (const what of ["1 row had too many cells", "1 column had a name already taken"]) await page.locator("main").getByText(what).waitFor();
  await roles(page, [["name", "identifier"], ["age", "quasi"], ["disease", "sensitive"], ["name (2)", "identifier"], ["years", "keep"], ["column 6", "keep"]]);
  await demand(page);
  await box(page, "Findings").getByText("1 row had too many cells").waitFor();
  await step(page, "Run");
  await box(page, "Nothing is released yet").getByText("1 row had too many cells").waitFor();
  await run(page);
  await page.getByRole("alert").getByText("because the file was repaired").waitFor();
  await step(page, "Results");
  await page.getByText("Nothing was released yet").waitFor();
  await step(page, "Run");
  // With the keyboard alone.
  const accept = box(page, "Nothing is released yet").getByRole("button", { name: "Accept the repairs" });
  await accept.focus();
  await page.keyboard.press("Enter");
  await box(page, "Nothing is released yet").waitFor({ state: "detached" });
  await run(page);
  await page.getByRole("button", { name: "See the release" }).click();
  await page.getByText("Verified release").waitFor();
  const csv = await download(page, () => page.getByRole("button", { name: "Export CSV" }).click());
  assert.ok(csv.startsWith("age,disease,years") && !csv.includes("Person"));
  await part(page, "Save");
  const html = await download(page, () => page.getByRole("button", { name: "Report, internal" }).click());
  assert.ok(html.includes("1 row had too many cells") && html.includes("Accepted: the policy accepts repairs"));
  const policy = JSON.parse(await download(page, () => page.getByRole("button", { name: "Policy", exact: true }).last().click()));
  assert.equal(policy.repairs, "accept");
  // Undone, nothing leaves any more, not even what was released.
  await step(page, "Policy");
  await page.getByRole("button", { name: "Undo" }).click();
  await box(page, "Findings").getByRole("button", { name: "Accept the repairs" }).waitFor();
  await step(page, "Results");
  await page.getByRole("button", { name: "Export CSV" }).click();
  await page.getByRole("alert").getByText("because the file was repaired").waitFor();
  await box(page, "Nothing is released yet").getByRole("button", { name: "Accept the repairs" }).waitFor();
});

onPage("a finding stands at its column, and is mended in one click or accepted with a reason", async (page) => {
  await open(page, false);
  await box(page, "Findings in the file").getByText("Column “years” has 4 cells read as a value").waitFor();
  await roles(page, [["name", "keep"], ["age", "quasi"], ["disease", "sensitive"], ["ward", "keep"], ["years", "keep"]]);
  await page.getByRole("button", { name: /findings? in name/ }).click();
  const name = box(page, "Findings in name");
  await name.getByText("though it looks like an identifier").waitFor();
  await name.getByRole("button", { name: "Remove the column: name" }).first().click();
  await name.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "1 finding in years" }).click();
  const years = box(page, "Findings in years");
  await years.getByRole("button", { name: "Accept: keeps what looks like a missing value, years" }).click();
  const why = years.getByLabel(/Why it does no harm/);
  await eventually(async () => assert.ok(await why.evaluate((input) => input === document.activeElement), "the field has the focus"));
  assert.ok(await years.getByRole("button", { name: "Accept", exact: true }).isDisabled(), "a reason is a reason");
  await why.fill("They are really that old.");
  await page.keyboard.press("Enter");
  await years.getByText("Accepted: They are really that old.").waitFor();
  await page.getByRole("button", { name: "1 finding in years" }).waitFor({ state: "detached" });
  // With open findings asked to stop, the one of the release is decided beside the export.
  await demand(page);
  await page.getByLabel("Hold every release back while findings are open").check();
  await step(page, "Run");
  await run(page);
  await page.getByRole("button", { name: "See the release" }).click();
  const held = box(page, "Nothing is released yet");
  await held.getByText("1 row is the only one of their class with their value in the kept column “ward”").waitFor();
  await page.getByRole("button", { name: "Export CSV" }).click();
  await page.getByRole("alert").getByText("1 finding is open").waitFor();
  await held.getByRole("button", { name: /^Accept: kept though it singles out rows/ }).click();
  await held.getByLabel(/Why it does no harm/).fill("Wards are no secret.");
  await held.getByRole("button", { name: "Accept", exact: true }).click();
  await held.waitFor({ state: "detached" });
  await page.getByText("Accepted: Wards are no secret.").waitFor();
  assert.equal(await page.getByText("changed since this release was made").count(), 0, "a decision changes no release");
  const csv = await download(page, () => page.getByRole("button", { name: "Export CSV" }).click());
  assert.ok(csv.startsWith("age,disease,ward,years"));
});

onPage("each of the 18 kinds of the Safe Harbor rule is told, and why one is not done", async (page) => {
  const day = (row) => (row % 20 === 3 ? "k.A." : row === 17 ? "9999" : `${String(1 + (row % 20)).padStart(2, "0")}.0${1 + (row % 4)}.2020`);
  const rows = Array.from({ length: 60 }, (_, row) => `Person${row},${day(row)},${30 + (row % 9)},flu`);
  await choose(page, file("dates.csv", ["name,admission,age,disease", ...rows].join("\n") + "\n"));
  await loaded(page, "60 rows");
  await step(page, "Policy");
  const rule = box(page, "HIPAA Safe Harbor");
  await rule.getByRole("button", { name: "Set the columns so" }).click();
  await rule.getByRole("status").getByText("“admission” has 4 cells that can't be read as a date").waitFor();
  await rule.getByText("(A) names: done: “name” is removed.").waitFor();
  await rule.getByText("(D) telephone numbers: not there.").waitFor();
  assert.equal(await rule.getByRole("listitem").count(), 18);
  assert.ok(!(await rule.innerText()).includes("9999"), "no cell's value");
  await step(page, "Columns");
  await page.getByLabel("Role of admission", { exact: true }).selectOption("identifier");
  await step(page, "Policy");
  await rule.getByText("All kinds that are there are done.").waitFor();
  assert.deepEqual(await axe(page), []);
});

for (const colorScheme of ["light", "dark"]) {
  onPage(`findings have no serious accessibility faults (${colorScheme})`, async (page) => {
    await open(page, true);
    for (const name of ["Data", "Columns", "Policy", "Run"]) {
      await step(page, name);
      await page.locator(".findings, .open-findings").first().waitFor();
      assert.deepEqual(await axe(page), [], name);
    }
  }, { colorScheme });
}
