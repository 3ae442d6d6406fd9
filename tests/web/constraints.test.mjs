// Diversity constraints as a person states them, and what DIVA makes of them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { axe, download, eventually, folder, loaded, part, step, tests, throng } from "./support.mjs";

const onPage = tests();
const LINES = ["ETH=Asian: 2..5", "ETH=African: 1..3", "CTY=Vancouver: 2..4"];
const line = (page, number) => page.locator(".lines > li").nth(number - 1);

/// The table of the paper with k and these lines.
const stated = async (page, lines, k = "2") => {
  await page.locator(".sample", { hasText: "Relation R" }).getByRole("button").first().click();
  await loaded(page, "10 rows");
  await step(page, "Policy");
  await page.getByRole("button", { name: /k = 3/ }).click();
  await page.locator(".card").first().waitFor();
  if (k !== "3") await page.getByLabel("k of k-anonymity").fill(k);
  for (const [place, text] of lines.entries()) {
    await page.getByRole("button", { name: "Add a constraint" }).click();
    await page.getByLabel(`Constraint ${place + 1}`, { exact: true }).fill(text);
    await page.getByLabel(`Constraint ${place + 1}`, { exact: true }).blur();
  }
};
const run = async (page) => {
  await step(page, "Run");
  await page.locator(".algorithms tbody tr", { hasText: "DIVA" }).getByRole("radio").click();
  await page.locator(".algorithms tr.on", { hasText: "DIVA" }).waitFor();
  await page.locator("main").getByRole("button", { name: "Run", exact: true }).click();
};

onPage("each line says where it stands, what is wrong with it, and what follows from the others", async (page) => {
  await stated(page, [...LINES, "CTY=Vancouver: 1..9", "ETH=Martian: 2..", "ETH=Asian & GEN: 2"]);
  await line(page, 1).getByText("3 rows today; 2 to 5 asked").waitFor();
  await line(page, 4).getByText("Follows from line 3").waitFor();
  await line(page, 5).locator("mark", { hasText: "Martian" }).waitFor();
  await line(page, 6).locator(".note.bad").waitFor();
  // What is said of all is said of those that can be read, and the rail and the Run page know of the others.
  await page.locator(".verdict .note.warn", { hasText: "Lines 5 and 6 can't be read. A release that keeps all others exists: proved." }).waitFor();
  await page.locator("nav .step", { hasText: "2 lines with errors" }).waitFor();
  await step(page, "Run");
  await page.locator("main").getByText("The groups that must stay visible: 2 lines with errors.").waitFor();
  assert.ok(await page.locator("main").getByRole("button", { name: "Run", exact: true }).isDisabled());
  await page.getByRole("button", { name: "Go to Policy" }).click();
  await page.getByRole("button", { name: "Remove constraint 6" }).click();
  await page.getByRole("button", { name: "Remove constraint 5" }).click();
  await page.getByRole("button", { name: "Drop 1 redundant line" }).click();
  await page.getByText("A release that keeps all of them exists: proved.").waitFor();
  await eventually(async () => assert.equal(await page.locator(".lines > li").count(), 3));
  await page.getByRole("button", { name: "Undo" }).click();
  await line(page, 4).waitFor();
});

onPage("what follows in classes of k rows alone is said to follow there", async (page) => {
  await stated(page, ["ETH=African: 1..", "ETH=African: 2.."]);
  await line(page, 2).getByText("Follows from line 1 in classes of 2 rows.").waitFor();
  await line(page, 1).getByText("Follows from line 2.").waitFor();
  await page.locator("nav .step", { hasText: "1 model · 2 constraints" }).waitFor();
});

onPage("undo in the page is not undone again by the browser", async (page) => {
  await stated(page, ["ETH=Asian: 2..5"]);
  const field = page.getByLabel("Constraint 1", { exact: true });
  await field.pressSequentially("7");
  await page.getByRole("heading", { name: "Policy", level: 1 }).click();
  await page.keyboard.press("Control+z");
  await eventually(async () => assert.equal(await field.inputValue(), "ETH=Asian: 2..5"));
  await line(page, 1).getByText("3 rows today; 2 to 5 asked").waitFor();
  assert.equal(await field.inputValue(), "ETH=Asian: 2..5");
});

onPage("lines are added, pasted and removed without the mouse", async (page) => {
  await stated(page, []);
  await page.locator(".constraints code", { hasText: "GEN=" }).waitFor();
  const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent);
  const has = (text) => eventually(async () => assert.equal(await focused(), text));
  await page.getByRole("button", { name: "Add a constraint" }).click();
  await has("Constraint 1");
  // The text is selected: what is typed replaces it.
  await page.keyboard.type("ETH=Asian: 2..5");
  await page.keyboard.press("Enter");
  await has("Constraint 2");
  assert.notEqual(await page.getByLabel("Constraint 2", { exact: true }).inputValue(), "");
  await page.getByLabel("Constraint 2", { exact: true }).evaluate((field, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", text);
    field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, "ETH=African: 1..3\r\n\r\nCTY=Vancouver: 2..4\r\n");
  await has("Constraint 3");
  const values = () => page.locator(".lines input.line").evaluateAll((fields) => fields.map((field) => field.value));
  assert.deepEqual(await values(), LINES);
  for (const left of ["Constraint 2", "Constraint 1", "Add a constraint"]) {
    await page.getByRole("button", { name: /^Remove constraint/ }).last().click();
    await has(left);
  }
});

onPage("a line that is being typed is not called wrong at once", async (page) => {
  await stated(page, ["ETH=Asian: 2..5"]);
  const field = page.getByLabel("Constraint 1", { exact: true });
  await line(page, 1).getByText("3 rows today").waitFor();
  await field.pressSequentially("x");
  const seen = () => line(page, 1).locator(".fault").evaluate((fault) => getComputedStyle(fault).opacity);
  assert.equal(await seen(), "0");
  await eventually(async () => assert.equal(await seen(), "1"));
});

onPage("bounds that add up to a contradiction are told, with the sums", async (page) => {
  await stated(page, ["ETH=Caucasian & GEN=Female: 2..", "ETH=Caucasian & GEN=Male: 2..", "ETH=Caucasian: ..3"], "1");
  await page.getByText("These can't hold together in any table.").waitFor();
  await page.getByText(/Lines 1, 2 and 3 contradict each other/).waitFor();
  await page.getByText("add up to more than").waitFor();
  // At each of the lines, too, and in the picture of what they share: the first two share nothing.
  for (const [place, others] of ["2 and 3", "1 and 3", "1 and 2"].entries()) {
    await page.locator(".lines > li").nth(place).getByText(`Can't hold together with lines ${others}.`).waitFor();
  }
  await eventually(async () => {
    assert.equal(await page.locator(".constraint-graph g.bad").count(), 3);
    assert.equal(await page.locator(".constraint-graph line.bad").count(), 2);
  });
  await page.locator("nav .step", { hasText: "1 contradiction" }).waitFor();
  await step(page, "Run");
  await page.locator("main").getByText("The groups that must stay visible: 1 contradiction.").waitFor();
});

onPage("text and form are one thing, and generated lines are looked at before they are taken", async (page) => {
  await stated(page, ["ETH=Asian: 2..5"]);
  await page.getByRole("button", { name: "As a form" }).click();
  await page.getByLabel("Constraint 1, value 1").fill("African");
  await page.getByLabel("Constraint 1, value 1").blur();
  // Nothing is none.
  await page.getByLabel("Constraint 1, at least").fill("");
  await page.getByLabel("Constraint 1, at least").blur();
  await eventually(async () => assert.equal(await page.getByLabel("Constraint 1, at least").inputValue(), "0"));
  await page.getByLabel("Constraint 1, at least").fill("1");
  await page.getByLabel("Constraint 1, at least").blur();
  await page.getByRole("button", { name: "As text" }).click();
  await page.waitForFunction(() => document.querySelector(".lines input.line")?.value === "ETH=African: 1..5");
  await page.getByText("Make some from the table").click();
  await page.getByLabel("for values of").selectOption("GEN");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.locator("pre", { hasText: /GEN=(Fem|M)ale: .* rows today/ }).waitFor();
  // Another draw and pairs of values are looked at, too.
  await page.getByRole("button", { name: "Another draw" }).click();
  assert.equal(await page.getByLabel("and of").inputValue(), "no other");
  await page.getByLabel("and of").selectOption("ETH");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.locator("pre", { hasText: /GEN=\w+ & ETH=\w+: / }).waitFor();
  await page.getByText("Every row is unique: the recipes ask for nothing").waitFor();
  await page.getByLabel("and of").first().selectOption("no other");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByRole("button", { name: /^Add (it|these)/ }).click();
  await line(page, 2).waitFor();
  await eventually(async () => assert.match(await page.getByLabel("Constraint 2", { exact: true }).inputValue(), /^GEN=/));
});

onPage("DIVA keeps the groups, is verified, and the same as the runner's", async (page) => {
  await stated(page, LINES);
  const policy = await download(page, () => page.getByRole("button", { name: "Save policy" }).click());
  assert.deepEqual(JSON.parse(policy).diversity, LINES);
  await run(page);
  await page.getByRole("button", { name: "See the release" }).click();
  await page.getByText("3 diversity constraints kept").waitFor();
  // A small table is compared at once.
  await page.locator(".groups th", { hasText: "without constraints" }).waitFor();
  const counts = await page.locator(".groups tbody tr").nth(1).locator("td.n").allTextContents();
  assert.deepEqual(counts.slice(0, 2), ["2", "2"], "both African rows stay visible");
  await page.getByLabel("Next step").click();
  await page.getByText("step 2 of").waitFor();
  // The constraint graph goes along: one constraint is what the step is about, as many are filled as have clusters.
  const graph = page.getByRole("group", { name: "The constraint graph at this step" });
  assert.equal(await graph.locator("line").count(), 2, "Vancouver shares rows with both, they with each other none");
  assert.equal(await graph.locator("g.now").count(), 1);
  assert.equal(await graph.locator("g.has").count(), await page.locator(".colours li.has").count());
  const csv = await download(page, () => page.getByRole("button", { name: "Export CSV" }).click());
  const saved = await download(page, async () => {
    await step(page, "Policy");
    await page.getByRole("button", { name: "Save policy" }).click();
  });
  const [table, rules, out] = ["records.csv", "records.policy.json", "records.out.csv"].map((name) => join(folder, name));
  writeFileSync(table, execFileSync(throng, ["sample", "medical-records"]));
  writeFileSync(rules, saved);
  execFileSync(throng, ["run", rules, table, "-o", out]);
  assert.equal(csv, readFileSync(out, "utf8"));
});

onPage("what is impossible is said with the reason, and another algorithm does not pretend", async (page) => {
  await stated(page, LINES, "3");
  await run(page);
  await page.getByRole("alert").waitFor();
  await step(page, "Results");
  await page.getByText("Nothing was released yet").waitFor();
  await step(page, "Run");
  await page.locator(".algorithms tbody tr", { hasText: "Mondrian" }).getByRole("radio").click();
  await page.getByText("This algorithm does not aim at them").waitFor();
  await page.getByRole("button", { name: "Choose DIVA" }).click();
  await page.locator(".algorithms tr.on", { hasText: "DIVA" }).waitFor();
});

onPage("a run that failed does not stand above the release before it", async (page) => {
  await stated(page, LINES);
  await run(page);
  await page.getByRole("button", { name: "See the release" }).click();
  await page.locator(".seal").waitFor();
  await part(page, "Runs");
  await eventually(async () => assert.equal(await page.getByLabel("Name of run 1").inputValue(), "DIVA · MinChoice + refinement"));
  await step(page, "Policy");
  await page.getByLabel("k of k-anonymity").fill("3");
  await run(page);
  await page.getByRole("alert").waitFor();
  await step(page, "Results");
  await page.locator(".seal").waitFor();
  assert.equal(await page.getByRole("alert").count(), 0);
  await step(page, "Run");
  await page.getByRole("alert").waitFor();
});

for (const colorScheme of ["light", "dark"]) {
  onPage(`no serious accessibility findings (${colorScheme})`, async (page) => {
    await stated(page, [...LINES, "CTY=Vancouver: 1..9", "ETH=Martian: 2.."]);
    await line(page, 4).getByText("Follows from line 3").waitFor();
    await page.evaluate(() => document.querySelectorAll("details.more").forEach((details) => (details.open = true)));
    assert.deepEqual(await axe(page), []);
    await page.getByRole("button", { name: "Remove constraint 5" }).click();
    await run(page);
    await page.getByRole("button", { name: "See the release" }).click();
    await page.locator(".groups").waitFor();
    assert.deepEqual(await axe(page), []);
  }, { colorScheme });
}
