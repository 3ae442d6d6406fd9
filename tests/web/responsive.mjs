// `./x bench responsive`: how long the page's own thread is ever busy at a stretch while all algorithms run on a table of
// 45,222 rows, by the browser's account of long tasks (over 50 ms) and by a timer that should fire every 5 ms.
// `./x bench responsive sweep`: the same while the sweep runs on a million rows.
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { choose, data, folder, launch, loaded, open, root, serve, step, throng } from "./support.mjs";

const sweeping = process.argv[2] === "sweep";
const rows = sweeping ? 1_000_000 : 45_222;
let table = join(data, "adult_45222.csv");
if (sweeping || !existsSync(table)) {
  table = join(folder, `adult_like_${rows}.csv`);
  console.log(`a made table like Adult, of ${rows} rows`);
  writeFileSync(table, execFileSync(throng, ["sample", "adult-like", "--rows", String(rows)], { maxBuffer: 1 << 28 }));
}
const server = await serve(process.env.THRONG_DIST ?? join(root, "target/dist"));
const browser = await launch();
const page = await open(browser, server);
page.setDefaultTimeout(600_000);
await choose(page, table);
await loaded(page, `${rows.toLocaleString("en")} rows`);
await step(page, "Columns");
await page.getByLabel("Role of occupation").selectOption("sensitive");
await step(page, "Policy");
if (!sweeping) {
  await page.getByRole("button", { name: /k = 5/ }).click();
  await page.getByLabel("Rows that may be suppressed").fill("4");
}
await page.getByRole("button", { name: "Add (τ, ℓ)-diversity" }).click();
await page.getByLabel("τ of (τ, ℓ)-diversity").fill(sweeping ? "0.2" : "0.8");
if (sweeping) await page.getByLabel("ℓ of (τ, ℓ)-diversity").fill("8");
await step(page, "Run");
await page.waitForTimeout(1000);

const watch = () =>
  page.evaluate(() => {
    window.busy = { tasks: [], gap: 0, ticks: 0 };
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => window.busy.tasks.push(entry.duration))).observe({ type: "longtask" });
    let last = performance.now();
    window.tick = setInterval(() => {
      const now = performance.now();
      window.busy.gap = Math.max(window.busy.gap, now - last);
      window.busy.ticks += 1;
      last = now;
    }, 5);
  });
const told = async (what, seconds) => {
  const { tasks, gap, ticks } = await page.evaluate(() => (clearInterval(window.tick), window.busy));
  console.log(`${what}: ${seconds.toFixed(1)} s, ${ticks} turns of the page's thread; tasks over 50 ms: ${tasks.length}${tasks.length ? ` (longest ${Math.max(...tasks).toFixed(0)} ms)` : ""}; longest wait of a 5 ms timer ${gap.toFixed(0)} ms`);
};

await watch();
await page.waitForTimeout(3000);
await told("idle", 3);
const look = async (turn) => {
  await step(page, ["Data", "Columns", "Policy", "Run"][turn % 4]);
  await page.waitForTimeout(200);
};
await watch();
for (let turn = 0; turn < 12; turn++) await look(turn);
await told("looking around, nothing running", 3);
/// Starts something and looks on, or around, until it has ended.
const during = async (what, start, looking) => {
  await step(page, "Run");
  await watch();
  const started = performance.now();
  await start();
  await page.locator(".task").waitFor();
  for (let turn = 0; (await page.locator(".task").count()) > 0; turn++) {
    if (looking) await look(turn);
    else await page.waitForTimeout(200);
  }
  await told(`${what}${looking ? ", looking around" : ""}`, (performance.now() - started) / 1000);
};
if (sweeping) {
  await page.locator(".algorithms tbody tr", { hasText: "Sweep +" }).getByRole("radio").click();
  for (const [index, refined] of [...["refined thoroughly", "refined quickly", "not refined"].entries()].reverse()) {
    await step(page, "Run");
    await page.getByLabel("Refinement", { exact: true }).selectOption({ index });
    await during(`sweep, ${refined}`, () => page.locator("main").getByRole("button", { name: "Run", exact: true }).click(), true);
    await step(page, "Results");
    await page.getByText("Verified release").waitFor();
  }
} else {
  for (const looking of [false, true]) {
    await during("all algorithms side by side", () => page.getByRole("button", { name: "Run all side by side" }).click(), looking);
  }
  await step(page, "Run");
  for (const row of await page.locator(".panel", { hasText: "All side by side" }).last().locator("tbody tr").all()) {
    console.log("  " + (await row.locator("th, td").allTextContents()).join("  "));
  }
}
await browser.close();
server.close();
