// `./x bench responsive`: how long the page's own thread is ever busy at a stretch while all algorithms run on a table of
// 45,222 rows, by the browser's account of long tasks (over 50 ms) and by a timer that should fire every 5 ms.
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { choose, data, folder, launch, loaded, open, root, serve, step, throng } from "./support.mjs";

let table = join(data, "adult_45222.csv");
if (!existsSync(table)) {
  console.log(`no ${table}: a made table like it is used`);
  table = join(folder, "adult_45222.csv");
  writeFileSync(table, execFileSync(throng, ["sample", "adult-like", "--rows", "45222"], { maxBuffer: 1 << 26 }));
}
const server = await serve(process.env.THRONG_DIST ?? join(root, "target/dist"));
const browser = await launch();
const page = await open(browser, server);
await choose(page, table);
await loaded(page, "45,222 rows");
await step(page, "Columns");
await page.getByLabel("Role of occupation").selectOption("sensitive");
await step(page, "Policy");
await page.getByRole("button", { name: /k = 5/ }).click();
await page.getByLabel("Rows that may be suppressed").fill("4");
await page.getByRole("button", { name: "Add (τ, ℓ)-diversity" }).click();
await page.getByLabel("τ of (τ, ℓ)-diversity").fill("0.8");
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
for (const looking of [false, true]) {
  await step(page, "Run");
  await watch();
  const started = performance.now();
  await page.getByRole("button", { name: "Run all side by side" }).click();
  await page.locator(".task").waitFor();
  for (let turn = 0; (await page.locator(".task").count()) > 0; turn++) {
    if (looking) await look(turn);
    else await page.waitForTimeout(200);
  }
  await told(`all algorithms side by side${looking ? ", looking around" : ""}`, (performance.now() - started) / 1000);
}
await step(page, "Run");
for (const row of await page.locator(".panel", { hasText: "All side by side" }).last().locator("tbody tr").all()) {
  console.log("  " + (await row.locator("th, td").allTextContents()).join("  "));
}
await browser.close();
server.close();
