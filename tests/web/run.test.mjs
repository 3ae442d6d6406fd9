// From a policy to a verified release: the Run and Results pages as a person uses them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { axe, choose, data, download, file, folder, loaded, openPeople, part, people, step, table, tests, throng } from "./support.mjs";

const onPage = tests();
const adult = join(data, "arx_adult");
const noAdult = !existsSync(adult) && `no ${adult}`;
const TABLE = people((row) => `d${row % 5}`);
const small = async (page, k = "3") => {
  await openPeople(page);
  if (k !== "3") await page.getByLabel("k of k-anonymity").fill(k);
};

onPage("what is missing is said, with the way there", async (page) => {
  await step(page, "Run");
  await page.locator("main").getByRole("button", { name: "Load a table" }).waitFor();
  await step(page, "Results");
  await page.getByText("Nothing was released yet").waitFor();
  await step(page, "Data");
  await choose(page, file("small.csv", TABLE));
  await loaded(page, "60 rows");
  await step(page, "Run");
  await page.getByText("The policy asks for nothing yet").waitFor();
  assert.ok(await page.getByRole("button", { name: "Run", exact: true }).last().isDisabled());
  await page.getByRole("button", { name: "Go to Policy" }).click();
  await page.getByRole("heading", { name: "Policy", level: 1 }).waitFor();
});

onPage("a release is verified, shown, exported, and the same as the runner's", async (page) => {
  await small(page);
  const policy = await download(page, () => page.getByRole("button", { name: "Save policy" }).click());
  await step(page, "Run");
  await page.locator("main").getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "See the release" }).click();
  await page.getByText("Verified release").waitFor();
  await part(page, "Classes");
  await page.locator(".heat tbody tr").first().waitFor();
  await page.getByText("Its rows").waitFor();
  await part(page, "Save");
  const csv = await download(page, () => page.getByRole("button", { name: "Export CSV" }).click());
  assert.ok(!csv.includes("p1,") && csv.startsWith("age,sex,disease\n"));
  const report = JSON.parse(await download(page, () => page.getByRole("button", { name: "Figures as JSON" }).click()));
  assert.equal(report.verified, true);
  assert.equal(report.rows + report.suppressed, 60);
  assert.equal(csv.trim().split("\n").length - 1, report.rows);
  const [table, rules, out] = ["small.csv", "small.policy.json", "out.csv"].map((name) => join(folder, name));
  writeFileSync(rules, policy);
  execFileSync(throng, ["run", rules, table, "-o", out]);
  assert.equal(csv, readFileSync(out, "utf8"));
  // The report for the office and the one for readers, byte for byte.
  for (const [button, wish] of [["Report, internal", []], ["Report, external", ["--external"]]]) {
    const html = await download(page, () => page.getByRole("button", { name: button }).click());
    const day = /Made on<\/th><td>(\d{4}-\d{2}-\d{2})</.exec(html)[1];
    const made = join(folder, "report.html");
    execFileSync(throng, ["run", rules, table, "-o", out, "--report-page", made, "--date", day, ...wish]);
    assert.equal(html, readFileSync(made, "utf8"));
  }
  const script = await download(page, () => page.getByRole("button", { name: "SQL script" }).click());
  const printed = execFileSync(throng, ["sql", rules, table, "--table", "patients"], { encoding: "utf8" });
  assert.equal(script, printed);
});

onPage("an impossible policy is said to be so, and nothing is released", async (page) => {
  await small(page, "31");
  await page.getByRole("button", { name: "Add Distinct ℓ-diversity" }).click();
  await page.getByLabel("ℓ of Distinct ℓ-diversity").fill("5");
  await page.getByRole("button", { name: "Add t-closeness" }).click();
  await page.getByLabel("t of t-closeness").fill("0");
  await page.getByLabel("k of k-anonymity").fill("60");
  await step(page, "Columns");
  // A limit that keeps the sexes apart leaves classes of thirty.
  await page.getByRole("button", { name: "sex", exact: true }).click();
  const leaf = page.locator("li.node", { has: page.locator(".label", { hasText: /^F$/ }) });
  await leaf.hover();
  await leaf.getByRole("button").click();
  await leaf.locator(".mark").waitFor();
  await step(page, "Run");
  await page.locator("main").getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("alert").getByText("No generalization by levels meets this policy").waitFor();
  await step(page, "Results");
  await page.getByText("Nothing was released yet").waitFor();
});

onPage("what-if moves the optimum, and keeping it runs again", async (page) => {
  await small(page);
  await step(page, "Run");
  await page.locator("main").getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "See the release" }).click();
  await page.getByText("The same levels").waitFor();
  await page.locator(".slider", { hasText: /^k/ }).locator("input").fill("30");
  await page.getByText("Other levels").waitFor();
  await page.getByRole("button", { name: "Keep these and run" }).click();
  await page.locator(".seal", { hasText: "k = 30" }).waitFor();
  await page.getByText("The same levels").waitFor();
});

onPage("the lattice shows every node, and a node its table", async (page) => {
  await small(page);
  await step(page, "Run");
  await page.locator("main").getByRole("button", { name: "Run", exact: true }).click();
  await page.locator(".lattice circle.best").waitFor();
  const nodes = await page.locator(".lattice circle").count();
  assert.ok((await page.locator(".lattice").getAttribute("aria-label")).includes(`${nodes} nodes`));
  await page.locator(".lattice circle").first().click();
  await page.locator(".node-words").getByText("keeps the policy").waitFor();
  assert.ok((await page.locator(".node-words tbody td").allTextContents()).every((cell) => cell === "*"));
});

onPage("the Adult table: the optimum of the fixture, in the page", async (page) => {
  await choose(page, readdirSync(adult).map((name) => join(adult, name)));
  await loaded(page, "30,162 rows");
  await step(page, "Columns");
  for (const name of ["occupation", "salary-class"]) await page.getByLabel(`Role of ${name}`).selectOption(name === "occupation" ? "sensitive" : "keep");
  await step(page, "Policy");
  await page.getByRole("button", { name: /k = 5/ }).click();
  await page.getByLabel("Rows that may be suppressed").fill("4");
  await step(page, "Run");
  await page.getByLabel("Measure").selectOption("discernibility");
  await page.locator("main").getByRole("button", { name: "Run", exact: true }).click();
  await page.getByText("No other is better: proved.").waitFor();
  await page.getByRole("button", { name: "See the release" }).click();
  await page.locator(".stat", { hasText: "233classes (smallest 5)" }).waitFor();
  await page.locator(".stat", { hasText: "85rows suppressed" }).waitFor();
  await page.locator(".achieved").getByText("9,800,845").waitFor();
}, { skip: noAdult });

onPage("local recoding keeps more, is verified, and stands beside the lattice", async (page) => {
  await small(page);
  await step(page, "Run");
  const losses = [];
  for (const algorithm of ["Lattice", "k-member", "GreedyCKA", "Mondrian"]) {
    const row = page.locator(".algorithms tbody tr", { hasText: algorithm });
    await row.getByRole("radio").click();
    await page.locator(".algorithms tr.on", { hasText: algorithm }).waitFor();
    await page.locator("main").getByRole("button", { name: "Run", exact: true }).click();
    await row.getByText(/ ms$/).waitFor();
    losses.push(Number(await row.locator("td").nth(2).textContent()));
  }
  assert.ok(losses.slice(1).every((loss) => loss <= losses[0]), `losses ${losses}`);
  await page.getByRole("button", { name: "See the release" }).click();
  await page.getByText("Verified release").waitFor();
});

onPage("limits: what they force, what the algorithm would do without them, how far values went", async (page) => {
  await small(page);
  await step(page, "Columns");
  await page.getByRole("button", { name: "sex", exact: true }).click();
  const leaf = page.locator("li.node", { has: page.locator(".label", { hasText: /^F$/ }) });
  await leaf.hover();
  await leaf.getByRole("button").click();
  await leaf.locator(".mark").waitFor();
  await step(page, "Run");
  await page.locator(".algorithms tbody tr", { hasText: "GreedyCKA" }).getByRole("radio").click();
  await page.locator(".algorithms tr.on", { hasText: "GreedyCKA" }).waitFor();
  await page.locator("main").getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "See the release" }).click();
  await page.getByRole("button", { name: "Compare" }).click();
  const line = page.locator(".pair tr", { hasText: "sex: cells beyond a limit" });
  await line.waitFor();
  assert.equal(await line.locator("td").first().textContent(), "0");
  await part(page, "Columns");
  const panel = page.locator(".spread");
  await page.getByLabel("Column", { exact: true }).selectOption("sex");
  await panel.locator("tr", { hasText: "F" }).first().waitFor();
  const shown = await panel.locator("tbody tr td:nth-of-type(2)").allTextContents();
  assert.equal(shown.map(Number).reduce((sum, rows) => sum + rows, 0), 60, "every released row is somewhere on the tree");
  await panel.locator("tr", { hasText: "F" }).locator(".role", { hasText: "limit" }).waitFor();
});

onPage("cancel stops the search within 200 ms, keeps the best so far, and it is verified", async (page) => {
  await choose(page, file("wide.csv", table(120_000, 12)));
  await loaded(page, "120,000 rows");
  await step(page, "Columns");
  for (let column = 0; column < 12; column++) await page.getByLabel(`Role of column_${column}`, { exact: true }).selectOption(column ? "quasi" : "identifier");
  await step(page, "Policy");
  await page.getByRole("button", { name: /k = 3/ }).click();
  await step(page, "Run");
  await page.locator(".algorithms tbody tr", { hasText: "k-member" }).getByRole("radio").click();
  await page.locator(".algorithms tr.on", { hasText: "k-member" }).waitFor();
  const waits = [];
  for (let attempt = 0; attempt < 3; attempt++) {
    const cancelled = page.evaluate(
      () =>
        new Promise((done) => {
          let clicked = 0;
          const observer = new MutationObserver(() => {
            const task = document.querySelector(".task");
            const value = Number(task?.querySelector("progress")?.getAttribute("value") ?? 0);
            if (!clicked && value > 0 && value < 1) {
              clicked = performance.now();
              task.querySelector("button").click();
            } else if (clicked && (!task || task.textContent.includes("Keeping"))) {
              observer.disconnect();
              done(performance.now() - clicked);
            }
          });
          observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
        }),
    );
    await page.locator("main").getByRole("button", { name: "Run", exact: true }).click();
    waits.push(await cancelled);
    await page.locator(".task").waitFor({ state: "detached", timeout: 60_000 });
  }
  assert.ok(Math.min(...waits) < 200, `took ${waits} ms`);
  assert.equal(await page.getByRole("alert").count(), 0, "cancelling is not a failure");
});

for (const colorScheme of ["light", "dark"]) {
  onPage(`the pages have no serious accessibility findings (${colorScheme})`, async (page) => {
    await small(page);
    await step(page, "Run");
    await page.locator("main").getByRole("button", { name: "Run", exact: true }).click();
    await page.locator(".lattice circle.best").waitFor();
    assert.deepEqual(await axe(page), []);
    await page.getByRole("button", { name: "See the release" }).click();
    for (const [name, shows] of [["Release", ".before-after .vt-cell"], ["Classes", ".heat tbody tr"], ["Columns", ".spread tbody tr"], ["Attack", ".one-person"], ["Runs", ".runs tbody tr"], ["Save", ".save"]]) {
      await part(page, name);
      await page.locator(shows).first().waitFor();
      assert.deepEqual(await axe(page), [], name);
    }
  }, { colorScheme });
}
