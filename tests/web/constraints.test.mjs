// Diversity constraints as a person states them, and what DIVA makes of them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { axe, download, eventually, folder, loaded, step, tests, throng } from "./support.mjs";

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
  await page.getByRole("button", { name: "Remove constraint 6" }).click();
  await page.getByRole("button", { name: "Remove constraint 5" }).click();
  await page.getByRole("button", { name: "Drop 1 redundant line" }).click();
  await page.getByText("A release that keeps all of them exists: proved.").waitFor();
  await eventually(async () => assert.equal(await page.locator(".lines > li").count(), 3));
  await page.getByRole("button", { name: "Undo" }).click();
  await line(page, 4).waitFor();
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
});

onPage("text and form are one thing, and generated lines are looked at before they are taken", async (page) => {
  await stated(page, ["ETH=Asian: 2..5"]);
  await page.getByRole("button", { name: "As a form" }).click();
  await page.getByLabel("Constraint 1, value 1").fill("African");
  await page.getByLabel("Constraint 1, value 1").blur();
  await page.getByLabel("Constraint 1, at least").fill("1");
  await page.getByLabel("Constraint 1, at least").blur();
  await page.getByRole("button", { name: "As text" }).click();
  await page.waitForFunction(() => document.querySelector(".lines input.line")?.value === "ETH=African: 1..5");
  await page.getByText("Make some from the table").click();
  await page.getByLabel("for values of").selectOption("GEN");
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
  await page.getByRole("button", { name: /Compare with/ }).click();
  await page.locator(".groups th", { hasText: "without" }).waitFor();
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
