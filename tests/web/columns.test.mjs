// From a file to a complete set-up: the Data and Columns pages as a person uses them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { axe, choose, data, download, eventually, file, folder, loaded, tests, throng } from "./support.mjs";

const onPage = tests();

const runner = (...args) => execFileSync(throng, args, { maxBuffer: 1 << 28 });
const node = (page, label) => page.locator("li.node", { has: page.locator(".label", { hasText: new RegExp(`^${label}$`) }) });
const columns = async (page, column) => {
  await page.getByRole("button", { name: "Columns" }).first().click();
  if (column) await page.getByRole("button", { name: column, exact: true }).click();
};
const sample = async (page, title, rows) => {
  await page.locator(".sample", { hasText: title }).getByRole("button", { name: /Open/ }).click();
  await loaded(page, rows);
};

onPage("a sample is, byte for byte, what the runner makes", async (page) => {
  const card = page.locator(".sample", { has: page.getByRole("heading", { name: "Hospital", exact: true }) });
  await card.getByRole("spinbutton").fill("3000");
  await card.getByRole("button", { name: /Open/ }).click();
  await loaded(page, "3,000 rows");
  const path = join(folder, "hospital-3000.csv");
  writeFileSync(path, runner("sample", "hospital", "--rows", "3000", "--seed", "1"));
  const summary = await download(page, () => page.getByRole("button", { name: "Save summary" }).click());
  assert.equal(summary, runner("stats", "--json", path).toString());
});

onPage("every sample opens, with its risk and without a complaint", async (page) => {
  const titles = await page.locator(".sample h3").allTextContents();
  assert.ok(titles.length >= 7);
  for (const title of titles) {
    await page.reload();
    await page.locator(".sample", { has: page.getByRole("heading", { name: title, exact: true }) }).getByRole("button", { name: /Open/ }).click();
    await page.locator(".chip.file").waitFor();
    await page.getByRole("gridcell").first().waitFor();
    assert.equal(await page.getByRole("alert").count(), 0, title);
  }
});

onPage("risk follows the roles, undo and redo bring them back", async (page) => {
  await choose(page, file("risk.csv", "zip,age,city\n1,30,a\n1,30,b\n2,40,c\n2,40,d\n3,50,e\n"));
  await loaded(page, "5 rows");
  const unique = () => page.locator(".stat b").first().textContent();
  await columns(page);
  for (const [column, role] of [["zip", "quasi"], ["age", "quasi"], ["city", "keep"]]) {
    await page.getByLabel(`Role of ${column}`).selectOption(role);
  }
  await page.getByRole("button", { name: "Data" }).first().click();
  await eventually(async () => assert.match(await unique(), /^1 20.0/));
  await columns(page);
  await page.getByLabel("Choose zip").check();
  await page.getByLabel("Choose age").check();
  await page.getByRole("button", { name: "sensitive", exact: true }).click();
  await page.locator(".rail, nav").getByText("no quasi-identifier").waitFor();
  await page.keyboard.press("Control+z");
  await page.locator("nav").getByText("2 QI").waitFor();
  await page.getByRole("button", { name: "Redo" }).click();
  await page.locator("nav").getByText("no quasi-identifier").waitFor();
});

onPage("the seven patients: limits California, Midwest, Kansas force nothing out at k = 2 and four rows at k = 3", async (page) => {
  await sample(page, "Seven patients", "7 rows");
  await columns(page);
  // Location is the only quasi-identifier of the example.
  for (const column of await page.locator(".list-table select.role").all()) {
    const label = await column.getAttribute("aria-label");
    await column.selectOption(label === "Role of Location" ? "quasi" : "keep");
  }
  await page.getByRole("button", { name: "Location", exact: true }).click();
  for (const group of ["California", "Midwest", "Kansas"]) {
    await node(page, group).hover();
    await node(page, group).getByRole("button").click();
    await node(page, group).locator(".mark").waitFor();
  }
  const forced = page.locator(".chart table");
  await eventually(async () => {
    assert.match(await forced.getByRole("row").nth(0).textContent(), /k=20$/);
    assert.match(await forced.getByRole("row").nth(1).textContent(), /k=34$/);
  });
  const policy = JSON.parse(await download(page, () => page.getByRole("button", { name: "Save policy" }).click()));
  assert.deepEqual(policy.columns.Location.limits, ["California", "Midwest", "Kansas"]);
});

onPage("a tree is edited by keyboard and by mouse, and its set-up comes back after a reload", async (page) => {
  const path = file("trees.csv", "colour,n\nred,1\ngreen,2\nblue,3\ncyan,4\n");
  await choose(page, path);
  await loaded(page, "4 rows");
  await columns(page, "colour");
  await page.getByLabel("Role of colour").selectOption("quasi");
  await page.getByRole("button", { name: "Build…" }).click();
  await page.getByLabel("How to build it").selectOption("Only *");
  await page.getByRole("button", { name: "Use it" }).click();
  await page.getByRole("button", { name: "Group chosen" }).waitFor();
  await node(page, "red").locator(".label").click();
  await node(page, "blue").locator(".label").click();
  await page.getByRole("button", { name: "Group chosen" }).click();
  await page.getByLabel(/Name of the group/).fill("loud");
  await page.keyboard.press("Enter");
  await node(page, "loud").waitFor();
  await node(page, "loud").focus();
  await page.keyboard.press("l");
  await node(page, "loud").locator(".mark").waitFor();
  await page.locator(".list-table tr", { hasText: "colour" }).getByText(/2 levels · 1 limit/).waitFor();
  // A name that is taken is refused, and nothing changes.
  await node(page, "green").locator(".label").click();
  await page.getByRole("button", { name: "Group chosen" }).click();
  await page.getByLabel(/Name of the group/).fill("cyan");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("that label is taken").waitFor();
  await page.getByRole("button", { name: "Dismiss" }).click();
  await page.reload();
  await page.getByRole("button", { name: "Load a table", exact: true }).click();
  await choose(page, path);
  await loaded(page, "4 rows");
  await columns(page, "colour");
  await node(page, "loud").locator(".mark").waitFor();
});

onPage("a preview changes nothing until it is used, and says why when it can't be", async (page) => {
  await choose(page, file("ages.csv", "age\n" + Array.from({ length: 60 }, (_, age) => age + 20).join("\n") + "\n"));
  await loaded(page, "60 rows");
  await columns(page, "age");
  await node(page, "20-24").waitFor();
  await page.getByRole("button", { name: "Build…" }).click();
  await page.getByLabel("How to build it").selectOption("Intervals of equal width");
  await page.getByLabel(/width; how many/).fill("30");
  await node(page, "30-59").waitFor();
  await page.getByLabel(/width; how many/).fill("-1");
  await page.locator(".builder .note.bad").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await node(page, "20-24").waitFor();
});

onPage("hierarchies that do not fit are reported and repaired by one click", async (page) => {
  await choose(page, [file("people.csv", "sex,n\nm,1\nf,2\nx,3\n"), file("people_sex.csv", "m;*\nf;*\nz;*\n")]);
  await loaded(page, "3 rows");
  await page.getByText("Not in the hierarchy: 1 value of the data (1 row).").waitFor();
  await columns(page, "sex");
  await page.getByRole("button", { name: "Add them under *" }).click();
  await node(page, "x").waitFor();
  await page.getByRole("button", { name: "Remove them" }).click();
  await node(page, "z").waitFor({ state: "detached" });
  const exported = await download(page, () => page.getByRole("button", { name: "Export" }).click());
  assert.equal(exported.replaceAll("\r", ""), "m;*\nf;*\nx;*\n");
});

onPage("sort, filter, jump, and the summary of a column", async (page) => {
  await page.locator(".sample", { has: page.getByRole("heading", { name: "Hospital", exact: true }) }).getByRole("button", { name: /Open/ }).click();
  await loaded(page, "10,000 rows");
  const first = (column) => page.locator(".vt-row").first().getByRole("gridcell").nth(column);
  await page.getByRole("button", { name: /^age / }).click();
  await page.waitForFunction(() => document.querySelector(".vt-row [aria-colindex='5']")?.textContent === "0");
  await page.getByRole("button", { name: /^age / }).click();
  await page.waitForFunction(() => Number(document.querySelector(".vt-row [aria-colindex='5']")?.textContent) > 90);
  await page.getByLabel("Filter by column").selectOption("sex");
  await page.getByLabel("Filter text").fill("FEM");
  await page.locator(".tools").getByText(/^\d,\d{3} of 10,000 rows$/).waitFor();
  await eventually(async () => assert.equal(await first(4).textContent(), "Female"));
  await page.getByLabel("Filter text").fill("");
  await page.getByLabel("Go to row").fill("9999");
  await page.getByLabel("Go to row").press("Enter");
  await page.locator(".vt-row[aria-rowindex='10001']").waitFor();
  await page.getByRole("button", { name: /^sex / }).focus();
  await page.getByRole("tooltip").getByText(/different/).waitFor();
  const [card, head] = [await page.getByRole("tooltip").boundingBox(), await page.getByRole("button", { name: /^sex / }).boundingBox()];
  assert.ok(Math.abs(card.x - head.x) < 40 && card.y >= head.y, "the summary stands under its heading");
});

onPage("a wide and long table is virtual both ways", async (page) => {
  const wide = ["r", ...Array.from({ length: 400 }, (_, column) => `c${column}`)].join(",");
  const rows = Array.from({ length: 3000 }, (_, row) => [row, ...Array.from({ length: 400 }, (_, column) => row + column)].join(","));
  await choose(page, file("wide.csv", [wide, ...rows].join("\n")));
  await loaded(page, "3,000 rows");
  await page.getByRole("gridcell").first().waitFor();
  assert.ok((await page.getByRole("gridcell").count()) < 2000);
  const grid = page.getByRole("grid");
  assert.equal(await grid.getAttribute("aria-rowcount"), "3001");
  assert.equal(await grid.getAttribute("aria-colcount"), "402");
  await grid.evaluate((element) => element.scrollTo(element.scrollWidth, element.scrollHeight));
  await page.locator(".vt-row [aria-colindex='402']", { hasText: "3398" }).waitFor();
});

onPage("missing policy columns and unknown keys are named", async (page) => {
  await choose(page, file("two.csv", "a,b\n1,2\n3,4\n"));
  await loaded(page, "2 rows");
  const policy = (name, value) => file(name, JSON.stringify(value));
  await choose(page, policy("unknown.json", { throng: 1, columns: {}, colour: 1 }));
  await page.getByRole("alert").getByText("unknown field `colour`").waitFor();
  await choose(page, policy("lacking.json", { throng: 1, columns: { a: { role: "quasi" }, zip: { role: "quasi" } }, others: "insensitive" }));
  await page.getByRole("alert").getByText("“zip”").waitFor();
  await choose(page, policy("good.json", { throng: 1, columns: { a: { role: "sensitive" } }, others: "insensitive" }));
  await page.locator("nav").getByText("no quasi-identifier").waitFor();
});

const adult = join(data, "arx_adult");
onPage(
  "Adult and its nine hierarchy files, dropped at once: a complete set-up in under 10 clicks",
  async (page) => {
    // One act: all ten files. Nothing else is needed but looking.
    await choose(page, readdirSync(adult).map((name) => join(adult, name)));
    await loaded(page, "30,162 rows");
    await page.getByText("9 hierarchy files matched to columns by name").waitFor();
    await columns(page);
    const texts = await page.locator(".list-table tbody tr").allTextContents();
    assert.equal(texts.length, 9);
    for (const text of texts) assert.match(text, /\d levels?/);
    assert.equal(texts.filter((text) => /incomplete/.test(text)).length, 0);
    await page.locator("nav").getByText("8 QI · 1 sensitive").waitFor();
  },
  { skip: existsSync(adult) ? false : `no ${adult}` },
);

onPage(
  "the page and the runner agree on the real tables",
  async (page) => {
    for (const [name, rows] of [["adult_45222.csv", "45,222 rows"], ["nursery.csv", "12,960 rows"], ["german_credit_data.csv", "1,000 rows"]]) {
      await choose(page, join(data, name));
      await loaded(page, rows);
      const summary = await download(page, () => page.getByRole("button", { name: "Save summary" }).click());
      assert.equal(summary, runner("stats", "--json", join(data, name)).toString());
    }
  },
  { skip: existsSync(adult) ? false : `no ${data}` },
);

for (const colorScheme of ["light", "dark"]) {
  onPage(
    `axe finds nothing serious on Data and Columns (${colorScheme})`,
    async (page) => {
      await page.getByText("Paste a table instead").click();
      assert.deepEqual(await axe(page), [], "samples");
      await sample(page, "Seven patients", "7 rows");
      await page.getByRole("gridcell").first().waitFor();
      await page.locator(".vt-sort").first().focus();
      assert.deepEqual(await axe(page), [], "table");
      await columns(page, "Location");
      await node(page, "Midwest").waitFor();
      await node(page, "Midwest").focus();
      await page.keyboard.press("l");
      await page.locator(".chart").waitFor();
      await page.getByLabel("Choose Location").check();
      assert.deepEqual(await axe(page), [], "columns");
      await page.getByRole("button", { name: "Build…" }).click();
      await page.getByText("A preview.").waitFor();
      assert.deepEqual(await axe(page), [], "builder");
    },
    { colorScheme },
  );
}
