// How a file is read, corrected on the page and kept in the policy; the digests of what is saved; and that the report's own
// command, run by the runner elsewhere, gives the bytes that the page saved (issue 20, points 10 to 13).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { axe, choose, eventually, file, loaded, part, step, tests, throng } from "./support.mjs";

const onPage = tests();
const name = "Kölner Fälle 2024 o'Neil.csv";
const two = (number) => String(number).padStart(2, "0");
const lines = ["Versicherter;Straße;geboren am;Größe;Diagnose;Notiz"];
for (let row = 0; row < 240; row++) {
  const born = row % 20 === 7 ? "k.A." : `${two(1 + (row % 12))}/${two(1 + ((row * 5) % 12))}/${1950 + (row % 30)}`;
  const tall = row % 24 === 3 ? "9999" : `1,${50 + ((row * 7) % 45)}`;
  const ill = ["Grippe", "Asthma", "nicht bekannt", "Röteln"][(row >> 1) % 4];
  lines.push([`V${row}`, ["Mühlweg", "Am Rain"][(row >> 3) % 2], born, tall, ill, ["=1+1", "-5", "\u00a0@x"][row % 3]].join(";"));
}
/// In one byte a sign: none of its signs differs between Latin 1 and Windows-1252.
const bytes = Buffer.from(lines.join("\r\n") + "\r\n", "latin1");
const sha256 = (saved) => createHash("sha256").update(saved).digest("hex");

/// What a click saves: its bytes, once the page told their digest.
async function saved(page, click) {
  const before = await page.locator(".saved code").allTextContents();
  // Chromium drops a download that begins in the same breath as the one before ended; nobody clicks that fast.
  await page.waitForTimeout(400);
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  const bytes = readFileSync(await download.path());
  await eventually(async () => assert.deepEqual(await page.locator(".saved code").allTextContents(), [sha256(bytes)], before.join()));
  return bytes;
}

const column = async (page, name) => {
  await step(page, "Columns");
  await page.locator(".list-table button.name", { hasText: new RegExp(`^${name}$`) }).click();
  await page.getByRole("region", { name: `How ${name} is read` }).waitFor();
};
/// What the list says of a column's kind and missing cells.
const told = (page, name, text) => page.locator(".list-table tr", { has: page.getByLabel(`Role of ${name}`) }).locator("td.n small", { hasText: text }).waitFor();
const missing = (page) => page.getByLabel("Missing: texts that stand for a missing cell in every column");
const type = async (field, text) => {
  await field.fill(text);
  await field.press("Enter");
};

/// Opens the file and corrects how it is read: by the file, and by column.
async function corrected(page) {
  await choose(page, file(name, bytes));
  await loaded(page, "240 rows");
  assert.equal(await page.getByLabel("Delimiter").inputValue(), "semicolon");
  assert.equal(await page.getByLabel("Encoding").inputValue(), "Windows-1252 / Latin-1");
  await step(page, "Columns");
  await told(page, "geboren am", "text");
  await page.getByLabel("Role of Versicherter").selectOption("identifier");
  for (const quasi of ["Straße", "geboren am", "Größe"]) await page.getByLabel(`Role of ${quasi}`).selectOption("quasi");
  await page.getByLabel("Role of Diagnose").selectOption("sensitive");
  await page.getByLabel("Role of Notiz").selectOption("keep");
  await step(page, "Data");
  await type(missing(page), "NA, k.A., nicht bekannt");
  await page.getByRole("button", { name: "Read as before" }).waitFor();
  await column(page, "geboren am");
  await told(page, "geboren am", "dates, 12 missing");
  await told(page, "Diagnose", /\d+ missing/);
  await page.getByLabel("Kind of geboren am").selectOption("dates, month first");
  await eventually(async () => assert.equal(await page.getByLabel("Kind of geboren am").inputValue(), "dates, month first"));
  await page.getByText("fit both orders").waitFor({ state: "detached" });
  await column(page, "Größe");
  await type(page.getByLabel("Missing in Größe"), "9999");
  await told(page, "Größe", "numbers, 10 missing");
  // What was set up before is as it was.
  assert.equal(await page.getByLabel("Role of Versicherter").inputValue(), "identifier");
  assert.equal(await page.getByLabel("Role of Notiz").inputValue(), "keep");
}

const unescaped = (html) =>
  html.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");
const shown = (html, id) => unescaped(html.split(`<pre id="${id}">`)[1].split("</pre>")[0]);
const fact = (html, name) => unescaped(html.split(`<th scope="row">${name}</th><td>`)[1].split("</td>")[0].replaceAll(/<\/?code>/g, ""));

/// Does what the report says, in another folder: only the file and the report go there.
function reproduced(html) {
  const elsewhere = mkdtempSync(join(tmpdir(), "throng elsewhere "));
  writeFileSync(join(elsewhere, fact(html, "File")), bytes);
  writeFileSync(join(elsewhere, "policy.json"), shown(html, "policy"));
  const env = { ...process.env, PATH: `${dirname(throng)}:${process.env.PATH}` };
  execFileSync("sh", ["-c", shown(html, "command")], { cwd: elsewhere, env, stdio: "pipe" });
  const release = readFileSync(join(elsewhere, "release.csv"));
  rmSync(elsewhere, { recursive: true });
  return release;
}

onPage("a file of an old system: read rightly, released, and made again by the report's command", async (page) => {
  await corrected(page);
  await step(page, "Policy");
  await page.getByRole("button", { name: /k = 3/ }).click();
  await page.locator(".card").first().waitFor();
  await step(page, "Run");
  await page.locator("main").getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "See the release" }).click({ timeout: 120_000 });
  for (const safe of [true, false]) {
    await page.getByLabel("safe for spreadsheets").setChecked(safe);
    const release = await saved(page, () => page.getByRole("button", { name: "Export CSV" }).click());
    assert.equal(release.toString().includes("'=1+1"), safe);
    assert.equal(release.toString().includes("'\u00a0@x"), safe);
    await part(page, "Save");
    const html = (await saved(page, () => page.getByRole("button", { name: "Report, internal" }).click())).toString();
    assert.equal(fact(html, "File"), name);
    assert.equal(fact(html, "SHA-256 of the file"), sha256(bytes));
    assert.equal(fact(html, "SHA-256 of the release"), sha256(release));
    assert.deepEqual(reproduced(html), release);
    const policy = await saved(page, () => page.getByRole("button", { name: "Policy", exact: true }).click());
    assert.equal(policy.toString(), shown(html, "policy"));
    assert.equal(fact(html, "SHA-256 of the policy"), sha256(policy));
    const figures = JSON.parse(await saved(page, () => page.getByRole("button", { name: "Figures as JSON" }).click()));
    assert.equal(figures.files.release.sha256, sha256(release));
    assert.equal(String(figures.seed), fact(html, "Seed"));
    await saved(page, () => page.getByRole("button", { name: "Figures as CSV" }).click());
    await saved(page, () => page.getByRole("button", { name: "SQL script" }).click());
  }
  // All of them are listed.
  assert.equal(await page.locator(".saved-files li").count(), 12);
  await page.getByRole("button", { name: "Hide" }).click();
  await page.locator(".saved").waitFor({ state: "detached" });
  assert.deepEqual(await axe(page), []);
});

onPage("the reading can be taken back, outlives the tab, and comes with a policy", async (page) => {
  await corrected(page);
  const policy = (await saved(page, () => page.getByRole("button", { name: "Save policy" }).click())).toString();
  const said = JSON.parse(policy);
  assert.deepEqual(said.reading.missing_tokens, ["", "NA", "k.A.", "nicht bekannt"]);
  assert.deepEqual([said.columns["geboren am"].order, said.columns["Größe"].missing_tokens], ["mdy", ["9999"]]);
  // One step back is the reading before; what does not work changes nothing.
  await page.keyboard.press("Control+z");
  await told(page, "Größe", /^numbers$/);
  await page.keyboard.press("Control+z");
  await told(page, "Größe", "numbers, 10 missing");
  await column(page, "Straße");
  await page.getByLabel("Kind of Straße").selectOption("whole numbers");
  await page.getByRole("alert").getByText("can't be read so").waitFor();
  await page.getByRole("button", { name: "Dismiss" }).click();
  assert.match(await page.getByLabel("Kind of Straße").inputValue(), /text/);
  // Another tab: the same file is read as it was said.
  await page.reload();
  await step(page, "Data");
  await choose(page, file(name, bytes));
  await loaded(page, "240 rows");
  await step(page, "Columns");
  await told(page, "Größe", "numbers, 10 missing");
  await told(page, "geboren am", "dates, 12 missing");
  // A policy of another reading, dropped on it.
  said.columns["Größe"].missing_tokens = ["9999", "1,50"];
  await step(page, "Data");
  await choose(page, file("other.policy.json", JSON.stringify(said)));
  await step(page, "Columns");
  await told(page, "Größe", /numbers, (1[1-9]|2\d) missing/);
  await step(page, "Data");
  assert.equal(await missing(page).inputValue(), "NA, k.A., nicht bekannt");
  assert.deepEqual(await axe(page), []);
  // Wrong on purpose, and back.
  await page.getByLabel("Delimiter").selectOption("bar");
  await loaded(page, "1 column");
  await page.getByRole("button", { name: "Read as before" }).click();
  await loaded(page, "6 columns");
});
