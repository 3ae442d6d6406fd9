// Screenshots of every page in both sizes and themes, into target/shots, to be looked at.
// `./x shots` takes all; what needs the real tables (THRONG_DATA, default ../shared/data) is skipped without them.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { choose, data, file, launch, loaded, open, part, root, serve, throng } from "./support.mjs";

const out = join(root, "target/shots");
mkdirSync(out, { recursive: true });
const server = await serve(process.env.THRONG_DIST ?? join(root, "target/dist"));
const browser = await launch();
const adult = join(data, "arx_adult");
if (!existsSync(adult)) console.log(`no ${adult}: the pictures of the Adult table are skipped`);

/// Each takes the page to a state worth looking at, from the one before.
const scenes = {
  "data-empty": async () => {},
  "data-failure": async (page) => {
    await choose(page, file("quote.csv", 'a,b\n1,"2\n3,4\n'));
    await page.getByRole("alert").waitFor();
  },
  "data-hospital": async (page) => {
    await page.getByRole("button", { name: "Open A hospital" }).or(page.locator(".sample").last().getByRole("button")).first().click();
    await loaded(page, "10,000 rows");
    await page.getByRole("button", { name: /single people out/ }).click();
    await page.locator(".stat .names").waitFor();
    await page.locator(".vt-sort").nth(3).focus();
  },
  ...(existsSync(adult) && {
    "columns-adult": async (page) => {
      await choose(page, readdirSync(adult).map((name) => join(adult, name)));
      await loaded(page, "30,162 rows");
      await page.getByRole("button", { name: "Columns" }).first().click();
      await page.getByRole("button", { name: "native-country" }).click();
      await page.getByRole("treeitem").nth(1).waitFor();
      for (const group of ["Asia", "North America"]) {
        const row = page.locator("li.node", { has: page.locator(".label", { hasText: new RegExp(`^${group}$`) }) });
        await row.hover();
        await row.getByRole("button").click();
        await row.locator(".mark").waitFor();
      }
    },
    "columns-build": async (page) => {
      await page.getByRole("button", { name: "age", exact: true }).click();
      await page.getByRole("button", { name: "Build…" }).click();
      await page.getByText("A preview.").waitFor();
    },
    policy: async (page) => {
      await page.getByRole("button", { name: "Columns" }).first().click();
      for (const name of ["occupation", "salary-class"]) await page.getByLabel(`Role of ${name}`).selectOption("sensitive");
      await page.getByRole("button", { name: "Policy" }).first().click();
      await page.getByRole("button", { name: /k = 5/ }).click();
      for (const model of ["Entropy", "Recursive", "(τ, ℓ)", "t-closeness"]) {
        await page.getByRole("button", { name: `Add ${model}` }).first().click();
        await page.locator(".card", { hasText: model }).first().waitFor();
      }
      await page.getByLabel("ℓ of Entropy ℓ-diversity").fill("12");
      await page.locator(".card .note.warn").first().waitFor();
      await page.locator("main").evaluate((main) => main.scrollTo(0, 0));
    },
    run: async (page) => {
      await page.getByLabel("ℓ of Entropy ℓ-diversity").fill("4");
      await page.getByLabel("Rows that may be suppressed").fill("30");
      await page.getByLabel("t of t-closeness").fill("0.5");
      await page.getByRole("button", { name: "Remove (τ, ℓ)-diversity · occupation" }).click();
      await page.locator("nav").getByRole("button", { name: "Run" }).click();
      await page.locator("main").getByRole("button", { name: "Run", exact: true }).click();
      await page.locator(".lattice .best").first().waitFor();
      await page.locator(".lattice .feasible").first().click({ force: true });
      await page.locator(".node-words").waitFor();
    },
    results: async (page) => {
      await page.locator("nav").getByRole("button", { name: "Results" }).click();
      await page.getByText("The same levels").waitFor();
    },
    "results-below": async (page) => {
      await page.locator("main").evaluate((main) => main.scrollTo(0, main.scrollHeight));
      await page.locator(".before-after .vt-cell").nth(20).waitFor();
    },
    "results-classes": async (page) => {
      await part(page, "Classes");
      await page.locator(".heat tbody tr").nth(3).waitFor();
    },
    "results-columns": async (page) => {
      await part(page, "Columns");
      await page.locator(".spread tbody tr").first().waitFor();
    },
    "results-attack": async (page) => {
      await part(page, "Attack");
      await page.locator(".one-person").waitFor();
      await page.waitForTimeout(1000);
    },
    "results-runs": async (page) => {
      await part(page, "Runs");
      await page.getByRole("button", { name: "Run all side by side" }).click();
      await page.locator(".runs tbody tr").nth(4).waitFor({ timeout: 120_000 });
      await page.locator(".task").waitFor({ state: "detached", timeout: 120_000 });
    },
    "results-save": async (page) => {
      await part(page, "Save");
    },
    audit: async (page) => {
      await page.getByRole("button", { name: "Audit" }).first().click();
      await page.locator(".heat tbody tr").nth(3).waitFor();
      await page.locator(".steps li").first().waitFor();
    },
    "audit-below": async (page) => {
      await page.locator("main").evaluate((main) => main.scrollTo(0, main.scrollHeight));
    },
  }),
  "policy-constraints": async (page) => {
    await page.goto(server.address_);
    await page.locator(".sample", { hasText: "Relation R" }).getByRole("button").first().click();
    await loaded(page, "10 rows");
    await page.locator("nav").getByRole("button", { name: "Policy" }).click();
    await page.getByRole("button", { name: /k = 3/ }).click();
    await page.locator(".card").first().waitFor();
    await page.getByLabel("k of k-anonymity").fill("2");
    for (const [place, text] of ["ETH=Asian: 2..5", "ETH=African: 1..3", "CTY=Vancouver: 2..4", "CTY=Vancouver: 1..9"].entries()) {
      await page.getByRole("button", { name: "Add a constraint" }).click();
      await page.getByLabel(`Constraint ${place + 1}`, { exact: true }).fill(text);
      await page.getByLabel(`Constraint ${place + 1}`, { exact: true }).blur();
    }
    await page.getByText("Follows from line 3.", { exact: true }).waitFor();
    await page.locator(".constraints").evaluate((panel) => panel.scrollIntoView());
  },
  "results-diva": async (page) => {
    await page.getByRole("button", { name: "Drop 1 redundant line" }).click();
    await page.locator("nav").getByRole("button", { name: "Run" }).click();
    await page.locator(".algorithms tbody tr", { hasText: "DIVA" }).getByRole("radio").click();
    await page.locator(".algorithms tr.on", { hasText: "DIVA" }).waitFor();
    await page.locator("main").getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("button", { name: "See the release" }).click();
    await page.locator(".groups th", { hasText: "without" }).waitFor();
    await page.getByLabel("Next step").click();
  },
  "linkage-start": async (page) => {
    await page.locator("nav").getByRole("button", { name: "Linkage" }).click();
    await page.getByText("Drop two or more releases here").waitFor();
  },
  "linkage-attack": async (page) => {
    await page.getByRole("button", { name: "Link the two hospitals" }).click();
    await page.getByText("falls from").waitFor();
    // The last class fades in.
    await page.waitForTimeout(500);
  },
  "linkage-calculator": async (page) => {
    await page.getByRole("tab", { name: "Calculator" }).click();
    await page.locator(".plot").nth(3).waitFor();
    await page.locator(".plot").first().focus();
    await page.keyboard.press("ArrowLeft");
  },
  "linkage-plan": async (page) => {
    await page.locator("nav").getByRole("button", { name: "Data" }).click();
    await page.getByRole("button", { name: /another|Load|Open/ }).first().waitFor();
    await choose(page, file("census.csv", execFileSync(throng, ["sample", "adult-like", "--rows", "5000"])));
    await loaded(page, "5,000 rows");
    await page.locator("nav").getByRole("button", { name: "Columns" }).click();
    for (const name of ["education", "workclass", "native_country", "occupation", "race", "marital_status"]) {
      const role = page.getByLabel(`Role of ${name}`);
      if (await role.count()) await role.selectOption(name === "occupation" ? "sensitive" : "keep");
    }
    await page.locator("nav").getByRole("button", { name: "Linkage" }).click();
    await page.getByRole("tab", { name: "Plan" }).click();
    await page.getByRole("button", { name: "Make the plan" }).click();
    await page.locator(".planning .data tbody tr").first().waitFor();
    await page.getByRole("button", { name: "Apply to census.csv" }).click();
    await page.locator(".applied").waitFor();
    await page.locator("main").evaluate((main) => main.scrollTo(0, 0));
  },
  "linkage-plan-below": async (page) => {
    await page.getByLabel(/^trials/).fill("5");
    await page.getByRole("button", { name: "Simulate" }).click();
    await page.locator(".simulated .plot").waitFor();
    await page.locator("main").evaluate((main) => main.scrollTo(0, main.scrollHeight));
  },
  "policy-tau-l": async (page) => {
    await page.goto(server.address_);
    await page.locator(".sample", { hasText: "Census extract" }).getByRole("button").first().click();
    await page.locator(".chip.file").waitFor();
    await page.getByRole("button", { name: "Columns" }).first().click();
    await page.getByLabel("Role of occupation").selectOption("sensitive");
    await page.locator("nav").getByRole("button", { name: "Policy" }).click();
    await page.getByRole("button", { name: /k = 5/ }).click();
    await page.getByRole("button", { name: "Add (τ, ℓ)-diversity" }).click();
    await page.locator(".card .handle").first().waitFor();
    await page.getByLabel("τ of (τ, ℓ)-diversity").fill("0.12");
    await page.getByLabel("ℓ of (τ, ℓ)-diversity").fill("10");
    await page.getByText("Only by generalizing").waitFor();
    await page.getByRole("slider", { name: /Drag τ/ }).focus();
  },
  "run-sweep": async (page) => {
    await page.locator("nav").getByRole("button", { name: "Run" }).click();
    await page.locator(".algorithms tbody tr", { hasText: "Sweep +" }).getByRole("radio").click();
    await page.locator(".algorithms tr.on", { hasText: "Sweep +" }).waitFor();
    await page.getByText("Which columns matter most").click();
    await page.locator("main").getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("button", { name: "See the release" }).waitFor({ timeout: 120_000 });
  },
  "results-sweep": async (page) => {
    await page.getByRole("button", { name: "See the release" }).click();
    await page.locator(".peers").getByRole("button", { name: "Compare" }).click();
    await page.locator(".peers tbody tr").first().waitFor({ timeout: 120_000 });
    await page.locator(".tau-l").evaluate((panel) => panel.scrollIntoView());
  },
  "results-steps": async (page) => {
    await page.goto(server.address_);
    await page.locator(".sample", { hasText: "Twelve inpatients" }).getByRole("button").first().click();
    await loaded(page, "12 rows");
    await page.getByRole("button", { name: "Columns" }).first().click();
    await page.getByLabel("Role of Condition").selectOption("sensitive");
    await page.locator("nav").getByRole("button", { name: "Policy" }).click();
    await page.getByRole("button", { name: "Add (τ, ℓ)-diversity" }).click();
    await page.locator(".card .handle").first().waitFor();
    await page.getByLabel("τ of (τ, ℓ)-diversity").fill("0.4");
    await page.getByText("Only by generalizing").waitFor();
    await page.locator("nav").getByRole("button", { name: "Run" }).click();
    await page.locator(".algorithms tbody tr", { hasText: "Sweep +" }).getByRole("radio").click();
    await page.locator(".algorithms tr.on", { hasText: "Sweep +" }).waitFor();
    await page.locator("main").getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("button", { name: "See the release" }).click();
    for (let press = 0; press < 6; press++) await page.getByLabel("Next sweep step").click();
    await page.locator(".sweep").evaluate((panel) => panel.scrollIntoView());
  },
  help: async (page) => {
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
  },
};

for (const [size, viewport] of [["wide", { width: 1280, height: 800 }], ["tall", { width: 820, height: 1180 }]]) {
  for (const colorScheme of ["light", "dark"]) {
    const page = await open(browser, server, { viewport, colorScheme });
    for (const [name, go] of Object.entries(scenes)) {
      await go(page);
      await page.screenshot({ path: join(out, `${name}-${size}-${colorScheme}.png`) });
    }
    if (page.errors.length) console.log(page.errors);
    await page.context().close();
  }
}
await browser.close();
server.close();
console.log(`screenshots in ${out}`);
