// What several releases tell together, the calculator, and plans: the Linkage page as a person uses it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { axe, choose, download, file, folder, loaded, step, tests, throng } from "./support.mjs";

const onPage = tests();
const linkage = async (page, tab = "Attack") => {
  await step(page, "Linkage");
  await page.getByRole("heading", { name: "Linkage", level: 1 }).waitFor();
  await page.getByRole("tab", { name: tab }).click();
};
const hospitals = async (page) => {
  await linkage(page);
  await page.getByRole("button", { name: "Link the two hospitals" }).click();
  await page.locator(".answer.bad").waitFor();
};
/// A made-up table with people enough for a plan.
const people = (rows, seed = 7) => {
  let state = seed;
  const next = (below) => ((state = (state * 1103515245 + 12345) % 2147483648), Math.floor((state / 2147483648) * below));
  const lines = ["name,sex,age,zip,illness"];
  for (let row = 0; row < rows; row++) lines.push(`p${row},${"FM"[next(2)]},${20 + next(30)},${1000 + next(40)},i${next(6)}`);
  return lines.join("\n") + "\n";
};
const opened = async (page, rows) => {
  await choose(page, file("people.csv", people(rows)));
  await loaded(page, `${rows.toLocaleString("en-US")} rows`);
  await step(page, "Columns");
  for (const [column, role] of [["name", "identifier"], ["sex", "quasi"], ["age", "quasi"], ["zip", "quasi"], ["illness", "sensitive"]]) {
    await page.getByLabel(`Role of ${column}`).selectOption(role);
  }
  await page.locator("nav").getByText("3 QI · 1 sensitive").waitFor();
};
const made = async (page) => {
  await opened(page, 3000);
  await linkage(page, "Plan");
  await page.getByRole("button", { name: "Make the plan" }).click();
  await page.locator(".stat", { hasText: "rows that each data owner waits for" }).waitFor();
};

onPage("the paper's two hospitals give one woman away", async (page) => {
  await hospitals(page);
  assert.equal(await page.getByLabel("Gender", { exact: true }).inputValue(), "Female");
  assert.equal(await page.getByLabel("Postal Code", { exact: true }).inputValue(), "560010");
  await page.getByText(/falls from \d to 1: exposed/).waitFor();
  assert.deepEqual(await page.locator(".answer .values li").allTextContents(), ["Cervical cancer"]);
  assert.ok((await page.locator(".class-of .values .gone").count()) > 0, "what is ruled out is struck out");
  await page.getByLabel("One release less").click();
  await page.getByText(/ℓ = \d so far/).waitFor();
  await page.getByLabel("One release more").click();
  await page.getByText(/falls from \d to 1: exposed/).waitFor();
  await page.locator("nav").getByText(/2 releases · 1 exposed/).waitFor();
  // A person nobody published.
  await page.getByLabel("Gender", { exact: true }).fill("Nobody");
  await page.getByRole("button", { name: "Attack", exact: true }).click();
  await page.getByText("No release has a class for such a person").waitFor();
});

onPage("own files are linked, what is not understood is named with its place, and columns can be put right", async (page) => {
  const a = "age,town,illness\n20-29,Rome,flu\n20-29,Rome,cold\n30-39,Oslo,gout\n30-39,Oslo,flu\n";
  const b = "age;town;illness\n[20, 30[;{Rome};flu\n[20, 30[;{Rome};gout\n>=30;*;gout\n>=30;*;cold\n[30;Oslo;flu\n";
  await linkage(page);
  await page.locator(".link-start input[type=file]").setInputFiles(file("a.csv", a));
  await page.getByText("One more release").waitFor();
  await page.locator(".link-start input[type=file]").setInputFiles(file("b.csv", b));
  await page.locator(".linked").waitFor();
  await page.getByText(/b\.csv, column “age”: 1 cell not understood\. Row 5 left out/).waitFor();
  await page.getByLabel("age", { exact: true }).fill("25");
  await page.getByLabel("town", { exact: true }).fill("Rome");
  await page.getByRole("button", { name: "Attack", exact: true }).click();
  await page.getByText(/falls from 2 to 1: exposed/).waitFor();
  assert.deepEqual(await page.locator(".answer .values li").allTextContents(), ["flu"]);
  await page.getByLabel("What town is").selectOption("not used");
  await page.getByLabel("town", { exact: true }).waitFor({ state: "detached" });
  await page.getByLabel("What town is").selectOption("sensitive");
  await page.waitForFunction(() => document.querySelector('select[aria-label="What illness is"]')?.value === "known to the attacker");
  // A third one.
  await page.locator('.linked input[type="file"]').setInputFiles(file("c.csv", a));
  await page.locator(".linked tbody tr").nth(2).waitFor();
  await page.getByRole("button", { name: "Link others" }).click();
  await page.getByText("Drop two or more releases here").waitFor();
});

onPage("releases that can't be linked are refused in place", async (page) => {
  await linkage(page);
  const input = page.locator(".link-start input[type=file]");
  await input.setInputFiles([file("one.csv", "age,illness\n20-29,flu\n"), file("two.csv", "colour,size\nred,1\n")]);
  await page.getByRole("alert").getByText("no column in common").waitFor();
  await page.getByRole("button", { name: "two.csv remove" }).click();
  await input.setInputFiles(file("broken.csv", 'age,illness\n20-29,"flu\n'));
  await page.getByRole("alert").getByText("broken.csv").waitFor();
  await page.getByRole("button", { name: "broken.csv remove" }).click();
  await page.locator("summary", { hasText: "What is known" }).waitFor();
  await page.getByText("One more release").waitFor();
});

onPage("the table itself, cut in parts that share people", async (page) => {
  await opened(page, 600);
  await linkage(page);
  await page.getByRole("button", { name: "Go to Policy" }).click();
  await page.getByRole("button", { name: /k = 3/ }).click();
  await page.locator(".card").first().waitFor();
  await linkage(page);
  await page.getByLabel(/^parts/).fill("3");
  await page.getByRole("button", { name: "Cut and link" }).click();
  await page.locator(".linked tbody tr").nth(2).waitFor();
  await page.getByText("people who can be in all releases, of 120 in the table").waitFor();
  assert.equal(await page.locator(".growth tbody tr").count(), 3);
  await page.locator(".class-of.answer").waitFor();
  await page.getByText(/Who is worst off/).click();
  const row = page.locator("details.roles tbody tr").nth(1);
  const age = await row.locator("td").nth(1).textContent();
  const zip = await row.locator("td").nth(2).textContent();
  await row.getByRole("button", { name: "Attack person 2" }).click();
  await page.waitForFunction(
    ([age, zip]) => [...document.querySelectorAll(".person input")].slice(1).map((input) => input.value).join() === [age, zip].join(),
    [age, zip],
  );
});

onPage("the calculator has the paper's figures, live", async (page) => {
  await linkage(page, "Calculator");
  const rows = page.locator(".stat").first();
  await rows.getByText("65,606", { exact: true }).waitFor();
  await rows.getByText("N = 65,605.26").waitFor();
  await page.getByLabel("ℓ, values").fill("30");
  await rows.getByText("N = 65,605.26").waitFor();
  await page.getByLabel("p or β").fill("0.02");
  await rows.getByText("N = 31,066.83").waitFor();
  await page.getByLabel("Distribution").selectOption({ index: 1 });
  await page.getByLabel("p or β").fill("0.01");
  await rows.getByText("N = 111,228.64").waitFor();
  await page.getByLabel("ℓ, values").fill("10");
  await rows.getByText("N = 36,865.11").waitFor();
  await page.locator(".stat", { hasText: "292.92" }).waitFor();
  const plot = page.getByRole("group", { name: "Figure 2b: N by ℓ" });
  await plot.focus();
  await page.keyboard.press("ArrowRight");
  await plot.locator(".guide").waitFor({ state: "attached" });
  assert.match(await plot.locator(".legend b").first().textContent(), /^[\d,]+$/);
  await plot.getByText("Figures").click();
  assert.ok((await plot.locator("tbody tr").count()) > 5);
  await page.getByLabel("ℓ, values").fill("60");
  await page.getByRole("alert").getByText("fewer than ℓ").waitFor();
});

onPage("a plan is made, saved, loaded, applied and exported, the same as the runner's", async (page) => {
  await made(page);
  // The order by buttons.
  await page.getByLabel("age earlier").click();
  await page.getByRole("button", { name: "Make the plan" }).click();
  await page.getByText("in the order age, sex, zip").waitFor();
  const plan = await download(page, () => page.getByRole("button", { name: "Save the plan" }).click());
  assert.deepEqual(JSON.parse(plan).columns.map((column) => column.name), ["age", "sex", "zip"]);
  // Another table, too small, with a value that the plan has never seen.
  await step(page, "Data");
  const other = file("other.csv", people(1500, 99) + "q,F,77,1001,i1\n");
  const past = file("saved.plan.json", plan);
  await linkage(page, "Plan");
  await page.getByLabel("Load a plan").setInputFiles(file("bad.plan.json", '{"throng_plan": 1}'));
  await page.getByRole("alert").getByText("missing field").waitFor();
  await page.getByLabel("Load a plan").setInputFiles(past);
  await page.getByText("Loaded: it says nothing").waitFor();
  await page.getByLabel("Apply the plan to another table").setInputFiles(other);
  await page.getByRole("alert").getByText("never seen 1 value of column “age” (1 row)").waitFor();
  await page.getByLabel("values that the plan has never seen").selectOption("place by the order");
  await page.getByLabel("Apply the plan to another table").setInputFiles(other);
  await page.getByRole("alert").getByText(/missing/).waitFor();
  await page.getByLabel("release before there are N rows").check();
  await page.getByLabel("Apply the plan to another table").setInputFiles(other);
  await page.getByText(/Column “age” has 1 value that the plan has never seen/).waitFor();
  await page.getByText("promise does not hold").waitFor();
  await page.getByLabel("release before there are N rows").uncheck();
  await page.getByRole("button", { name: "Apply to people.csv" }).click();
  await page.getByText("3,000 rows of people.csv").waitFor();
  await page.getByText("It has the N =").waitFor();
  await page.getByLabel("safe for spreadsheets").uncheck();
  const csv = await download(page, () => page.getByRole("button", { name: "Export the release" }).click());
  const out = join(folder, "by-plan.csv");
  execFileSync(throng, ["plan", "apply", past, join(folder, "people.csv"), "-o", out, "--unseen", "order"]);
  assert.equal(csv, readFileSync(out, "utf8"));
  // The release, linked with another of the same plan.
  writeFileSync(join(folder, "second.csv"), csv);
  await page.getByRole("tab", { name: "Attack" }).click();
  await page.locator(".link-start input[type=file]").setInputFiles([out, join(folder, "second.csv"), past]);
  await page.getByText("The attacker has the plan").waitFor();
  await page.getByText(/ℓ stays \d/).waitFor();
});

onPage("the plan's promise is simulated beside what others do, with progress and cancel", async (page) => {
  await made(page);
  await page.getByLabel(/^trials/).fill("500");
  await page.getByRole("button", { name: "Simulate" }).click();
  await page.getByRole("group", { name: "Work under way" }).getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("group", { name: "Work under way" }).waitFor({ state: "detached" });
  assert.equal(await page.locator(".simulated").count(), 0);
  await page.getByLabel(/^trials/).fill("10");
  await page.getByRole("button", { name: "Simulate" }).click();
  await page.locator(".simulated tbody tr", { hasText: "the plan" }).first().waitFor();
  const failed = async (name) => parseFloat(await page.locator(".simulated > div tbody tr", { hasText: name }).locator("td").first().textContent());
  assert.ok((await failed("the plan")) <= 15, "at most tδ");
  assert.ok((await failed("Mondrian")) > 50, "instance-dependent releases fail");
  await page.getByText("tδ, allowed to the plan").first().waitFor();
});

onPage("what is missing is said, and everything works by keyboard", async (page) => {
  await linkage(page);
  await page.getByRole("tab", { name: "Attack" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("heading", { name: "Linkage" }).waitFor();
  await page.locator(".calculator").waitFor();
  await page.keyboard.press("ArrowRight");
  await page.getByText("There is no plan yet").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), "tab-plan");
  await page.locator("main").getByRole("button", { name: "Load a table" }).click();
  await page.getByRole("heading", { name: "Data", level: 1 }).waitFor();
});

for (const colorScheme of ["light", "dark"]) {
  onPage(`no serious accessibility findings (${colorScheme})`, async (page) => {
    await linkage(page);
    await page.getByText("Drop two or more releases here").waitFor();
    assert.deepEqual(await axe(page), []);
    await hospitals(page);
    assert.deepEqual(await axe(page), []);
    await page.getByRole("tab", { name: "Calculator" }).click();
    await page.locator(".plot").nth(3).waitFor();
    assert.deepEqual(await axe(page), []);
    await page.getByRole("tab", { name: "Plan" }).click();
    await page.getByText("There is no plan yet").waitFor();
    assert.deepEqual(await axe(page), []);
    await step(page, "Data");
    await made(page);
    await page.getByRole("button", { name: "Apply to people.csv" }).click();
    await page.getByText("It has the N =").waitFor();
    await page.getByLabel(/^trials/).fill("5");
    await page.getByRole("button", { name: "Simulate" }).click();
    await page.locator(".simulated .plot").waitFor();
    await page.evaluate(() => document.querySelectorAll("main details").forEach((details) => (details.open = true)));
    assert.deepEqual(await axe(page), []);
  }, { colorScheme, reducedMotion: "reduce" });
}
