// The Results page's tabs on classes, columns and the attacker, as a person uses them.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { axe, choose, data, download, file, loaded, openPeople, part, step, tests } from "./support.mjs";

const onPage = tests();
const adult = join(data, "arx_adult");
const noAdult = !existsSync(adult) && `no ${adult}`;
const run = async (page, algorithm) => {
  await step(page, "Run");
  if (algorithm) {
    await page.locator(".algorithms tbody tr", { hasText: algorithm }).getByRole("radio").click();
    await page.locator(".algorithms tr.on", { hasText: algorithm }).waitFor();
  }
  await page.locator("main").getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "See the release" }).click({ timeout: 120_000 });
};
const small = async (page, algorithm) => {
  await openPeople(page, (row) => `d${(row * row) % 5}`);
  await run(page, algorithm);
};

onPage("classes: sizes, map, heat map, one closely, two side by side, and those just above the line", async (page) => {
  await small(page, "k-member");
  await part(page, "Classes");
  const heat = page.locator(".heat tbody tr");
  await heat.first().waitFor();
  const classes = Number(await page.locator(".heat-panel h2 .faint").textContent());
  // Every row of the release has its place: on the map, and in the bars.
  const sizes = (await page.locator(".treemap td:nth-of-type(1)").allTextContents()).map(Number);
  assert.equal(sizes.length, classes);
  const released = sizes.reduce((sum, size) => sum + size, 0);
  const bars = (await page.locator(".chart", { has: page.locator("caption", { hasText: "Number of classes" }) }).locator("td").allTextContents()).map(Number);
  assert.equal(bars.reduce((sum, count) => sum + count, 0), classes);
  await page.getByLabel("Order of the classes").selectOption("largest first");
  const first = heat.first().locator("td").first();
  await page.waitForFunction(([size]) => document.querySelector(".heat tbody td")?.textContent === String(size), [Math.max(...sizes)]);
  assert.equal(Number(await first.textContent()), Math.max(...sizes));
  // The opened class against the table, and its rows.
  const card = page.locator(".class-card");
  await card.getByText("total variation").waitFor();
  await card.getByText("k-anonymity").waitFor();
  await page.getByText("Its rows").waitFor();
  await card.getByRole("button", { name: "Pin to compare" }).click();
  await heat.nth(1).getByRole("button").click();
  await page.waitForFunction(() => {
    const heads = [...document.querySelectorAll(".class-card h2")].map((head) => head.textContent);
    return heads.length === 2 && heads[0] !== heads[1];
  });
  await page.getByRole("button", { name: "Unpin" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".class-card").length === 1);
  // By keys, from class to class.
  await heat.first().getByRole("button").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await heat.nth(1).and(page.locator(".on")).waitFor();
  await page.getByLabel("just above the line").check();
  const near = sizes.filter((size) => size <= 3.3).length;
  await page.locator(".heat-panel h2", { hasText: `${near} just above the line` }).waitFor();
  if (near) await card.getByText("just above the line").waitFor();
  assert.ok(released >= 54);
  assert.deepEqual(await axe(page), []);
});

onPage("columns: before and after, with how far values went", async (page) => {
  await small(page, "k-member");
  await part(page, "Columns");
  const column = page.getByLabel("Column", { exact: true });
  await column.selectOption("sex");
  await page.getByText(/2 different values before/).waitFor();
  const shares = async (caption) =>
    (await page.locator(".shares", { has: page.locator("caption", { hasText: caption }) }).locator("tbody tr").allTextContents()).sort();
  assert.deepEqual(await shares("sex before"), (await shares("sex before")).filter((row) => row.includes("50 %")));
  await page.locator(".spread tbody tr").first().waitFor();
  await column.selectOption("disease");
  await page.getByText("every released cell is as it was").waitFor();
  await page.locator(".spread").waitFor({ state: "detached" });
  await column.selectOption("name");
  await page.getByText("Identifiers are removed").waitFor();
  assert.deepEqual(await axe(page), []);
});

onPage("attack: everyone and one person, before and after", async (page) => {
  await small(page, "k-member");
  await part(page, "Attack");
  await page.locator(".stat", { hasText: "disease is certain" }).waitFor();
  await page.locator(".risks circle").first().waitFor();
  const person = page.locator(".one-person");
  await person.getByText("In the release").waitFor();
  await person.getByLabel("Row of the original").fill("8");
  await person.getByRole("button", { name: "Take this person" }).click();
  // Row 8: p7, 27, F, d4.
  await page.waitForFunction(() => document.querySelector(".known input")?.value === "27");
  await person.getByText("“d4”, which it is").first().waitFor();
  // Ruling out all other values makes the attacker sure.
  const slider = person.locator(".slider input");
  if (await slider.count()) {
    await slider.fill(await slider.getAttribute("max"));
    await person.locator("b", { hasText: /^sure$/ }).last().waitFor();
    await person.getByText("ruled out").first().waitFor();
  }
  await person.getByLabel("age").fill("");
  await person.getByRole("button", { name: "Attack with these" }).click();
  await person.getByText("30 rows with just these values").waitFor();
  await person.getByLabel("sex").fill("nobody");
  await person.getByRole("button", { name: "Attack with these" }).click();
  await person.getByRole("alert").getByText("has no such value").waitFor();
  assert.deepEqual(await axe(page), []);
});

onPage("pictures are saved as they are seen", async (page) => {
  await small(page);
  await part(page, "Classes");
  const figure = page.locator(".treemap");
  await figure.locator("rect").first().waitFor();
  await figure.hover();
  const svg = await download(page, () => figure.getByRole("button", { name: "Save picture as SVG" }).click());
  assert.ok(svg.startsWith("<svg") && svg.includes("Classes by rows and diversity of disease") && svg.includes("8 and more"));
  assert.ok(/fill="rgb\(/.test(svg) && !svg.includes("color(srgb") && !svg.includes("var(--") && !svg.includes("class="));
  const [saved] = await Promise.all([page.waitForEvent("download"), figure.getByRole("button", { name: "Save picture as PNG" }).click()]);
  assert.equal(saved.suggestedFilename(), "Classes-by-rows-and-diversity-of-disease.png");
  const bytes = readFileSync(await saved.path());
  assert.deepEqual([...bytes.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
  // Wide and tall as the drawing at twice its size.
  assert.ok(bytes.readUInt32BE(16) >= 800 && bytes.readUInt32BE(20) >= 500);
});

onPage("ten thousand classes are scrolled through with few elements", async (page) => {
  const pairs = Array.from({ length: 24_000 }, (_, row) => `x${(row >> 1) % 120},y${Math.floor((row >> 1) / 120)},d${(row * row) % 7}`);
  await choose(page, file("many.csv", ["one,two,disease", ...pairs].join("\n") + "\n"));
  await loaded(page, "24,000 rows");
  await step(page, "Columns");
  for (const [column, role] of [["one", "quasi"], ["two", "quasi"], ["disease", "sensitive"]]) {
    await page.getByLabel(`Role of ${column}`).selectOption(role);
  }
  await step(page, "Policy");
  await page.getByRole("button", { name: /k = 3/ }).click();
  await page.locator(".card").first().waitFor();
  await page.getByLabel("k of k-anonymity").fill("2");
  await run(page);
  await part(page, "Classes");
  await page.locator(".heat tbody tr").first().waitFor();
  const classes = Number((await page.locator(".heat-panel h2 .faint").textContent()).replaceAll(",", ""));
  assert.equal(classes, 12_000);
  for (const share of [0.3, 0.77, 1]) {
    await page.locator(".heat").evaluate((heat, share) => (heat.scrollTop = heat.scrollHeight * share), share);
    await page.waitForFunction(
      (least) => {
        const shown = [...document.querySelectorAll(".heat tbody tr")];
        return shown.length > 5 && Number(shown[0].getAttribute("aria-rowindex")) > least && shown.every((row) => row.querySelector("button"));
      },
      Math.floor(classes * share * 0.95) - 40,
    );
    assert.ok((await page.evaluate(() => document.querySelectorAll("*").length)) < 50_000);
  }
  assert.equal(Number(await page.locator(".heat tbody tr").last().getAttribute("aria-rowindex")), classes + 1);
});

onPage("the Adult table: its classes, columns and attackers, upright and dark", async (page) => {
  await choose(page, readdirSync(adult).map((name) => join(adult, name)));
  await loaded(page, "30,162 rows");
  await step(page, "Columns");
  for (const name of ["occupation", "salary-class"]) await page.getByLabel(`Role of ${name}`).selectOption(name === "occupation" ? "sensitive" : "keep");
  await step(page, "Policy");
  await page.getByRole("button", { name: /k = 5/ }).click();
  await page.getByLabel("Rows that may be suppressed").fill("4");
  await run(page);
  for (const [name, there] of [["Classes", ".class-card .achieved"], ["Columns", ".spread tbody tr"], ["Attack", ".risks circle"]]) {
    await part(page, name);
    await page.locator(there).first().waitFor();
    assert.deepEqual(await axe(page), [], name);
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(beyond, 0, `${name} is not wider than the page`);
  }
}, { skip: noAdult, viewport: { width: 820, height: 1180 }, colorScheme: "dark" });
