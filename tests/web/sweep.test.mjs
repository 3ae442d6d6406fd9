// (τ,ℓ)-diversity by sequential sweep: the policy card, the run, and what is shown of the release.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { axe, choose, download, eventually, file, folder, loaded, step, tests, throng } from "./support.mjs";

const onPage = tests();
const card = (page) => page.locator(".card", { has: page.getByRole("heading", { name: "(τ, ℓ)-diversity" }) });
const tau = (page) => page.getByRole("slider", { name: /Drag τ/ });
const l = (page) => page.getByRole("slider", { name: /Drag ℓ/ });
const now = async (slider) => Number(await slider.getAttribute("aria-valuenow"));

// Half of the rows have one illness.
const illness = (row) => (row % 2 ? "flu" : ["cold", "cancer", "gout", "ulcer", "asthma"][(row / 2) % 5]);
const TABLE = ["age,sex,disease", ...Array.from({ length: 40 }, (_, row) => `${20 + ((row * 7) % 30)},${row % 3 ? "F" : "M"},${illness(row)}`)].join("\n") + "\n";
const TREE = ["flu;lungs;*", "cold;lungs;*", "asthma;lungs;*", "cancer;other;*", "gout;other;*", "ulcer;other;*"].join("\n") + "\n";

/// The table with a tree over its illnesses and (τ,ℓ)-diversity asked of them.
const small = async (page, rows = 40, text = TABLE) => {
  await choose(page, [file("ill.csv", text), file("disease.csv", TREE)]);
  await loaded(page, `${rows} rows`);
  await step(page, "Columns");
  for (const [column, role] of [["age", "quasi"], ["sex", "quasi"], ["disease", "sensitive"]]) {
    await page.getByLabel(`Role of ${column}`).selectOption(role);
  }
  await step(page, "Policy");
  await page.getByRole("button", { name: "Add (τ, ℓ)-diversity" }).click();
  await card(page).locator("circle.handle").first().waitFor();
};
const demand = async (page, wantedTau, wantedL) => {
  await page.getByLabel("τ of (τ, ℓ)-diversity").fill(String(wantedTau));
  await page.getByLabel("ℓ of (τ, ℓ)-diversity").fill(String(wantedL));
  await page.getByLabel("ℓ of (τ, ℓ)-diversity").blur();
  await page.waitForFunction(
    ([wanted]) => document.querySelector(".handle.up")?.getAttribute("aria-valuenow") === String(wanted),
    [wantedTau],
  );
};
const sweep = async (page) => {
  await step(page, "Run");
  await page.locator(".algorithms tbody tr", { hasText: "Sweep +" }).getByRole("radio").click();
  await page.locator(".algorithms tr.on", { hasText: "Sweep +" }).waitFor();
  await page.locator("main").getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "See the release" }).click();
  await page.getByText("Verified release").waitFor();
  await page.locator(".tau-l .cumulative").waitFor();
};

onPage("τ and ℓ are dragged on the picture, and what the table allows is said at once", async (page) => {
  await small(page);
  // Half of the rows are flu: (0.5, 3) needs F(2) ≤ 0.75, and it is 0.6.
  await card(page).getByText("allows any τ from 0.5 on with ℓ = 3").waitFor();
  await card(page).getByText("from 0.1667").waitFor();
  const box = await tau(page).boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y + 20, { steps: 4 });
  const dragged = await now(tau(page));
  assert.ok(dragged < 0.5 && dragged > 0.2, String(dragged));
  // Live, before the pointer is released: the sentence and the field follow.
  await card(page).getByText("Only by generalizing some of the sensitive values.").waitFor();
  await eventually(async () => assert.equal(Number(await page.getByLabel("τ of (τ, ℓ)-diversity").inputValue()), dragged));
  await page.mouse.up();
  await page.waitForTimeout(300);
  assert.equal(await now(tau(page)), dragged);
  const across = await l(page).boundingBox();
  await page.mouse.move(across.x + across.width / 2, across.y + across.height / 2);
  await page.mouse.down();
  await page.mouse.move(across.x + 160, across.y + 8, { steps: 4 });
  await page.mouse.up();
  const moved = await now(l(page));
  assert.ok(moved > 3 && moved <= 6, String(moved));
  const policy = JSON.parse(await download(page, () => page.getByRole("button", { name: "Save policy" }).click()));
  assert.deepEqual([policy.privacy[0].tau, policy.privacy[0].l], [dragged, moved]);
  // One step back for each drag.
  await page.getByRole("button", { name: "Undo" }).click();
  await page.waitForFunction(() => document.querySelector(".handle.across").getAttribute("aria-valuenow") === "3");
});

onPage("τ and ℓ move by keys, and what can't be met is said with the nearest that can", async (page) => {
  await small(page);
  await tau(page).focus();
  for (let press = 0; press < 5; press++) await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => document.querySelector(".handle.up").getAttribute("aria-valuenow") === "0.45");
  await page.keyboard.press("PageDown");
  await page.keyboard.press("Home");
  await eventually(async () => assert.equal(await now(tau(page)), 0.01));
  await card(page).getByText("Not on this table, however its values are generalized: with ℓ = 3, τ must be at least 0.1667").waitFor();
  await l(page).focus();
  await page.keyboard.press("End");
  await page.waitForFunction(() => document.querySelector(".handle.across").getAttribute("aria-valuenow") === "6");
  await eventually(async () => assert.equal(await page.getByLabel("τ of (τ, ℓ)-diversity").inputValue(), "0.01"));
  // The engine says the same, and where to change it.
  await step(page, "Run");
  await page.locator(".algorithms tbody tr", { hasText: "Sweep +" }).getByRole("radio").click();
  await page.locator(".algorithms tr.on", { hasText: "Sweep +" }).waitFor();
  await page.locator("main").getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("alert").getByText("privacy[0].tau to").waitFor();
});

onPage("how it is refined is chosen, at once and for good", async (page) => {
  await small(page);
  await demand(page, 0.4, 3);
  await step(page, "Run");
  await page.locator(".algorithms tbody tr", { hasText: "Sweep +" }).getByRole("radio").click();
  await page.getByLabel("Refinement", { exact: true }).selectOption({ label: "quickly: in about the time of the sweep" });
  // Run without waiting for any answer: it is a run of what was chosen, and nothing changed since.
  await page.locator("main").getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "See the release" }).waitFor();
  assert.equal(await page.getByText("changed since this run").count(), 0);
  await step(page, "Policy");
  const policy = JSON.parse(await download(page, () => page.getByRole("button", { name: "Save policy" }).click()));
  assert.deepEqual(policy.algorithm, { name: "sweep", refine: "quick" });
  await step(page, "Results");
  await page.getByText("Verified release").waitFor();
});

onPage("which algorithms apply is said with the reason", async (page) => {
  await choose(page, file("ill.csv", TABLE));
  await loaded(page, "40 rows");
  await step(page, "Columns");
  for (const [column, role] of [["age", "quasi"], ["sex", "quasi"], ["disease", "sensitive"]]) {
    await page.getByLabel(`Role of ${column}`).selectOption(role);
  }
  await step(page, "Run");
  const row = (name) => page.locator(".algorithms tbody tr", { hasText: name });
  await row("Sweep +").getByText("not here: is for (τ, ℓ)-diversity").waitFor();
  await eventually(async () => assert.ok(await row("Sweep +").getByRole("radio").isDisabled()));
  await step(page, "Policy");
  await page.getByRole("button", { name: "Add (τ, ℓ)-diversity" }).click();
  await demand(page, 0.4, 3);
  await step(page, "Run");
  await row("k-member").getByText("not here: keeps sensitive values exact").waitFor();
  await page.getByText("lattice is not for this policy: it keeps sensitive values exact.").waitFor();
  await row("Sweep +").getByRole("radio").click();
  await page.getByText("is not for this policy").waitFor({ state: "detached" });
  await page.getByText("Which columns matter most").click();
  await page.getByLabel("Importance of sex").fill("2");
  await page.getByLabel("Importance of sex").blur();
  const policy = async () => JSON.parse(await (await step(page, "Policy"), download(page, () => page.getByRole("button", { name: "Save policy" }).click())));
  assert.deepEqual((await policy()).algorithm, { name: "sweep", importance: { sex: 2 } });
  await step(page, "Run");
  await eventually(async () => assert.ok(await row("1-D line").getByRole("radio").isDisabled()));
});

onPage("a sweep is verified, shown, compared, stepped through, and the same as the runner's", async (page) => {
  await small(page);
  await demand(page, 0.4, 4);
  await sweep(page);
  // F under ψ: no point of the tightest class is over the line.
  assert.equal(await page.locator(".tau-l circle.over").count(), 0);
  assert.ok((await page.locator(".tau-l .cumulative circle").count()) >= 4);
  await page.locator(".changed tbody tr").first().waitFor();
  const changed = await page.locator(".changed tbody tr").allTextContents();
  assert.ok(changed.some((text) => /flu→ (lungs|\*)/.test(text)), changed.join());
  const classes = page.getByLabel("Class, the tightest first");
  const last = (await classes.locator("option").count()) - 1;
  await classes.selectOption({ index: last });
  await page.waitForFunction((last) => document.querySelector(".tau-l select").selectedIndex === last, last);
  assert.equal(await page.locator(".tau-l circle.over").count(), 0);
  // Neither peer generalizes sensitive values.
  await page.locator(".peers").getByRole("button", { name: "Compare" }).click();
  await page.getByText("1DLD and CLD can publish nothing under this requirement.").waitFor();
  // Step by step, to the end.
  await page.getByText("step 1 of").waitFor();
  await page.getByLabel("Next sweep step").click();
  await page.getByText("step 2 of").waitFor();
  await page.getByLabel("Step of the sweep").focus();
  await page.keyboard.press("End");
  await page.waitForFunction(() => [...document.querySelectorAll(".sweep-rows .state")].every((cell) => cell.textContent === "in its class"));
  const csv = await download(page, () => page.getByRole("button", { name: "Export CSV" }).click());
  await step(page, "Policy");
  const policy = await download(page, () => page.getByRole("button", { name: "Save policy" }).click());
  const [table, rules, out] = ["ill.csv", "ill.policy.json", "out.csv"].map((name) => join(folder, name));
  writeFileSync(rules, policy);
  execFileSync(throng, ["run", rules, table, "-o", out]);
  assert.equal(csv, readFileSync(out, "utf8"));
});

onPage("where peers publish too, they are compared; a comparison can be cancelled", async (page) => {
  await page.locator(".sample", { hasText: "Census extract" }).getByRole("button").first().click();
  await page.locator(".chip.file").waitFor();
  await step(page, "Columns");
  await page.getByLabel("Role of occupation").selectOption("sensitive");
  await step(page, "Policy");
  await page.getByRole("button", { name: "Add (τ, ℓ)-diversity" }).click();
  await card(page).locator("circle.handle").first().waitFor();
  await sweep(page);
  const compare = page.locator(".peers").getByRole("button", { name: "Compare" });
  // By the page itself, so that it is cancelled at once.
  await page.evaluate(() => {
    const button = (name) => [...document.querySelectorAll(".peers button")].find((button) => button.textContent === name);
    new MutationObserver((_, observer) => {
      if (button("Cancel")) {
        observer.disconnect();
        button("Cancel").click();
      }
    }).observe(document.querySelector(".peers"), { subtree: true, childList: true, characterData: true });
    button("Compare").click();
  });
  await compare.waitFor();
  await compare.click();
  await page.locator(".peers tbody tr", { hasText: "utility um" }).waitFor({ timeout: 120_000 });
  const [own, ...peers] = (await page.locator(".peers tbody tr", { hasText: "utility um" }).locator("td").allTextContents()).map(Number);
  for (const peer of peers) assert.ok(Number.isNaN(peer) || peer < own, `${own} beside ${peers}`);
});

for (const colorScheme of ["light", "dark"]) {
  onPage(`the pages have no serious accessibility findings (${colorScheme})`, async (page) => {
    await small(page);
    await demand(page, 0.4, 4);
    assert.deepEqual(await axe(page), []);
    await sweep(page);
    await page.locator(".peers").getByRole("button", { name: "Compare" }).click();
    await page.locator(".peers tbody tr").first().waitFor();
    assert.deepEqual(await axe(page), []);
    await step(page, "Run");
    assert.deepEqual(await axe(page), []);
  }, { colorScheme });
}
