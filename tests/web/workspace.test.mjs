// The results workspace: runs kept, compared, opened again; all algorithms side by side; sweeps; from a drop to an export.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { choose, data, download, eventually, folder, loaded, openPeople, part, step, tests, throng } from "./support.mjs";

const onPage = tests();
const adult = join(data, "arx_adult");
const at = (name) => join(folder, name);
const main = (page) => page.locator("main");
const ended = (page) => page.locator(".task").waitFor({ state: "detached", timeout: 300_000 });

/// What the page calls an algorithm, and what a policy does.
const NAMES = { Lattice: "lattice", "k-member": "k-member", GreedyCKA: "greedy-cka", Mondrian: "mondrian", DIVA: "diva", "1-D line": "one-d", "Greedy-generalize": "greedy-generalize", Sweep: "sweep" };

/// The Adult table with its hierarchies: the real one, or a made one like it.
const dropAdult = async (page) => {
  if (existsSync(adult)) {
    await choose(page, readdirSync(adult).map((name) => join(adult, name)));
    await loaded(page, "30,162 rows");
  } else {
    writeFileSync(at("adult.csv"), execFileSync(throng, ["sample", "adult-like", "--rows", "30162"], { maxBuffer: 1 << 26 }));
    await choose(page, at("adult.csv"));
    await loaded(page, "30,162 rows");
  }
  await step(page, "Columns");
  await page.getByLabel("Role of occupation").selectOption("sensitive");
  await step(page, "Policy");
  await page.getByRole("button", { name: /k = 5/ }).click();
  await page.getByLabel("Rows that may be suppressed").fill("4");
};
const runBy = async (page, name) => {
  await step(page, "Run");
  const row = page.locator(".algorithms tbody tr", { hasText: name });
  await row.getByRole("radio").click();
  await page.locator(".algorithms tr.on", { hasText: name }).waitFor();
  await main(page).getByRole("button", { name: "Run", exact: true }).click();
  await row.getByText(/ ms$/).waitFor({ timeout: 300_000 });
};
onPage("from dropping Adult to a signed-off export, by every algorithm", async (page) => {
  await dropAdult(page);
  for (const name of Object.keys(NAMES)) {
    if (name === "DIVA") {
      await step(page, "Policy");
      await page.getByRole("button", { name: "Add a constraint" }).click();
      await page.getByLabel("Constraint 1", { exact: true }).fill("sex=Female: 5000..");
      await page.getByLabel("Constraint 1", { exact: true }).blur();
    }
    if (name === "1-D line") {
      await step(page, "Policy");
      await page.getByRole("button", { name: "Remove constraint 1" }).click();
      await page.getByRole("button", { name: "Add (τ, ℓ)-diversity" }).click();
      await page.locator(".card", { hasText: "(τ, ℓ)" }).first().waitFor();
      await page.getByLabel("τ of (τ, ℓ)-diversity").fill("0.8");
    }
    await runBy(page, name);
    await step(page, "Results");
    await page.getByText("Verified release").waitFor();
    await part(page, "Save");
    const csv = await download(page, () => page.getByRole("button", { name: "Export CSV" }).click());
    const policy = await download(page, () => page.getByRole("button", { name: "Policy", exact: true }).last().click());
    const html = await download(page, () => page.getByRole("button", { name: "Report, internal" }).click());
    // The policy and seed in the report give the same bytes with the runner.
    const unescaped = (text) => text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"').replace(/&#39;/g, "'").replace(/&amp;/g, "&");
    const reported = unescaped(/<pre id="policy">([^]*?)<\/pre>/.exec(html)[1]);
    assert.deepEqual(JSON.parse(reported), JSON.parse(policy), name);
    assert.equal(JSON.parse(reported).algorithm?.name ?? "lattice", NAMES[name]);
    writeFileSync(at("policy.json"), reported);
    const table = existsSync(adult) ? join(adult, "adult.csv") : at("adult.csv");
    execFileSync(throng, ["run", at("policy.json"), table, "-o", at("again.csv"), "--protect-formulas"]);
    assert.equal(csv, readFileSync(at("again.csv"), "utf8"), name);
    // What left is what was promised, to somebody who has only the file.
    writeFileSync(at("released.csv"), csv);
    const audit = JSON.parse(execFileSync(throng, ["check", at("policy.json"), at("released.csv"), "--json"], { encoding: "utf8" }));
    const told = JSON.stringify(audit);
    assert.ok(audit.k >= 5, `${name}: k = ${audit.k} ${told.slice(0, 200)}`);
  }
});

onPage("all algorithms side by side, while the page stays in use; runs are compared, named, pinned, deleted, opened", async (page) => {
  await openPeople(page);
  await step(page, "Run");
  await page.getByRole("button", { name: "Run all side by side" }).click();
  const panel = page.locator(".panel", { hasText: "All side by side" }).last();
  await panel.waitFor();
  await panel.getByText("…").first().waitFor({ state: "detached", timeout: 60_000 });
  await ended(page);
  // All but the sweep, which needs (τ,ℓ)-diversity.
  assert.equal(await panel.locator("tbody tr").count(), 7);
  await panel.getByRole("button", { name: "Compare them" }).click();
  await page.getByText("Open a run to see its release").waitFor();
  await eventually(async () => assert.equal(await page.locator(".runs tbody tr").count(), 7));
  await eventually(async () => assert.equal(await page.locator(".beside thead th").count(), 3, "the last three are side by side"));
  await page.getByLabel("Compare run 1").check();
  await page.getByLabel("Compare run 2").check();
  await eventually(async () => assert.equal(await page.locator(".beside thead th").count(), 4, "no more than four"));
  await eventually(async () => assert.equal(await page.locator(".scatter .point").count(), 7));
  await page.getByLabel("across").selectOption("smallest class");
  await page.locator('.scatter[aria-label*="smallest class"]').waitFor();

  // A run that another worker made is made again here, with the same bytes as the runner's.
  const name = page.getByLabel("Name of run 2");
  const made = await name.inputValue();
  await name.fill("for the office");
  await name.blur();
  await page.getByLabel("Pin run 2").click();
  await eventually(async () => assert.ok((await page.locator(".runs tbody tr").first().locator("input.run-name").inputValue()) === "for the office", "pinned ones come first"));
  await eventually(async () => assert.ok(await page.getByLabel("Delete run 2").isDisabled()));
  await page.getByLabel("Open run 2").click();
  await page.getByText("Verified release").waitFor();
  await ended(page);
  await part(page, "Save");
  const csv = await download(page, () => page.getByRole("button", { name: "Export CSV" }).click());
  const policy = await download(page, () => page.getByRole("button", { name: "Policy", exact: true }).last().click());
  assert.equal(JSON.parse(policy).algorithm?.name ?? "lattice", NAMES[made.split(" +")[0]]);
  writeFileSync(at("few.json"), policy);
  execFileSync(throng, ["run", at("few.json"), at("small.csv"), "-o", at("few.out"), "--protect-formulas"]);
  assert.equal(csv, readFileSync(at("few.out"), "utf8"));
  await part(page, "Runs");
  await eventually(async () => assert.equal(await page.locator(".runs tbody tr").count(), 7, "the same run, not another"));
  await page.getByLabel("Delete run 5").click();
  await eventually(async () => assert.equal(await page.locator(".runs tbody tr").count(), 6));
  await page.getByRole("button", { name: /Bring back/ }).click();
  await eventually(async () => assert.equal(await page.locator(".runs tbody tr").count(), 7));
  // Runs are numbered as they ended.
  const first = (await page.getByLabel("Name of run 1").inputValue()).split(" +")[0];
  await page.getByLabel("Change the policy of run 1").click();
  await page.getByRole("heading", { name: "Policy", level: 1 }).waitFor();
  await step(page, "Run");
  await page.locator(".algorithms tr.on", { hasText: first }).waitFor();
  const lines = await (async () => {
    await step(page, "Results");
    await part(page, "Runs");
    return (await download(page, () => page.getByRole("button", { name: "Measures as CSV" }).click())).trim().split("\n");
  })();
  assert.equal(lines.length, 8);
  assert.ok(lines.some((line) => line.startsWith("for the office,")));
});

onPage("a number swept step by step gives the runner's curves, and is cancelled at once", async (page) => {
  await openPeople(page);
  const policy = await download(page, () => page.getByRole("button", { name: "Save policy" }).click());
  await step(page, "Run");
  await main(page).getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "See the release" }).click();
  await part(page, "Runs");
  await page.getByLabel("First value").fill("2");
  await page.getByLabel("Last value").fill("40");
  await page.getByLabel("Step", { exact: true }).fill("1");
  await page.getByRole("button", { name: "Run 39 steps" }).click();
  await page.locator('.plot[aria-label*="by k"]').waitFor();
  await ended(page);
  const curves = await download(page, () => page.getByRole("button", { name: "Curves as CSV" }).click());
  writeFileSync(at("swept.json"), policy);
  const printed = execFileSync(throng, ["compare", at("swept.json"), at("small.csv"), "--sweep", "k=2..40:1"], { encoding: "utf8" });
  const timeless = (text) => {
    const [head, ...lines] = text.trim().split("\n");
    const place = head.split(",").indexOf("milliseconds");
    return lines.map((line) => line.split(",").filter((_, other) => other !== place).join(","));
  };
  assert.equal(timeless(curves).length, 39);
  assert.deepEqual(timeless(curves), timeless(printed));
  await eventually(async () => assert.equal(await page.locator(".runs tbody tr").count(), 1, "steps are not runs"));

  await page.getByLabel("Last value").fill("1");
  await page.getByText("These are no steps").waitFor();
  await page.getByLabel("Last value").fill("200");
  await page.getByLabel("every algorithm").check();
  await page.getByRole("button", { name: /Run [\d,]+ steps/ }).click();
  await page.locator(".task").getByRole("button", { name: "Cancel" }).click();
  await page.locator(".task").waitFor({ state: "detached", timeout: 5_000 });
  assert.equal(await page.getByRole("alert").count(), 0, "cancelling is not a failure");
});
