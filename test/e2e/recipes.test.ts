import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { documentText } from "../support/documents/documents.ts";
import { cleanEnv, script, temporaryFolder } from "../support/program/program.ts";
import { serve } from "../support/servers/serve.ts";

/** Makes the home of a job, whose `pets` is the built one and whose `npm` is `npm`. */
function makeJob(npm = "") {
  const home = temporaryFolder();
  const bin = path.join(home, "bin");
  mkdirSync(bin);
  const pets = `exec '${process.execPath}' '${script}' "$@"`;
  for (const [name, text] of Object.entries({ pets, npm }))
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const clean = cleanEnv(home);
  const env = { ...clean, PATH: `${bin}:${clean.PATH}`, GITHUB_ENV: path.join(home, "env") };
  const state = path.join(home, ".local/state/pets");
  return {
    home,
    run: (line: string, more: Record<string, string> = {}) =>
      spawnSync("sh", ["-ec", line], { cwd: home, env: { ...env, ...more }, encoding: "utf8" }),
    /** Returns the logs of stores that have not been stopped. */
    running: (): readonly string[] =>
      existsSync(state) ? readdirSync(state).filter((name) => name.startsWith("serve-")) : [],
  };
}

/** Returns the code of the recipe that follows `title` in the topic. */
function recipe(title: string): string {
  const text = documentText("src/help/topics/store.md");
  const rest = text.slice(text.indexOf(`\n${title}`));
  return /```\w+\n([^]*?)```/.exec(rest)?.[1] ?? "";
}

describe("a recipe of the topic `store`", () => {
  const client = "pets add --name Rex --category 1 -q && pets list -q";

  it("runs in the steps of GitHub Actions", () => {
    const { home, run, running } = makeJob(client);
    const steps = recipe("In GitHub Actions").match(/(?<=- run: ).*/g) ?? [];
    expect(steps).toHaveLength(4);
    for (const step of steps) {
      const free = step.replace("pets serve", "pets serve --port 0");
      // The runner sets what an earlier step has written.
      const line = `set -a; touch "$GITHUB_ENV"; . "$GITHUB_ENV"; set +a; ${free}`;
      expect({ step, ...run(line) }).toMatchObject({ status: 0 });
    }
    const report = JSON.parse(readFileSync(path.join(home, "check.json"), "utf8"));
    expect(report).toMatchObject({ requests: { 200: 1, 201: 1 } });
    expect(running()).toEqual([]);
  });

  it("runs in a job of GitLab", () => {
    const { run, running } = makeJob(client);
    const [, lines = "", after = ""] =
      /script:\n([^]*?)  after_script:\n([^]*)/.exec(recipe("In GitLab")) ?? [];
    for (const part of [lines, after]) {
      const text = part.replaceAll(/^ +- /gm, "").replace("pets serve", "pets serve --port 0");
      expect({ text, ...run(text) }).toMatchObject({ status: 0 });
    }
    expect(running()).toEqual([]);
  });

  it("runs as vitest's globalSetup", () => {
    const { home, run, running } = makeJob();
    symlinkSync(path.resolve("node_modules"), path.join(home, "node_modules"));
    writeFileSync(path.join(home, "setup.ts"), documentText("test/examples/vitest-stores.ts"));
    const config = `export default { test: { globalSetup: "./setup.ts", maxWorkers: 2 } };`;
    writeFileSync(path.join(home, "vitest.config.mjs"), config);
    const test = `
      import { expect, inject, it } from "vitest";
      it("has a store of its own", async () => {
        const { baseUrl, apiKey } = inject("stores")[Number(process.env.VITEST_POOL_ID) - 1];
        const headers = {
          authorization: \`Bearer \${apiKey}\`,
          "Content-Type": "application/json",
        };
        const add = { method: "POST", headers, body: '{"name":"Rex","categoryId":1}' };
        expect((await fetch(\`\${baseUrl}/pets\`, add)).status).toBe(201);
        expect(await (await fetch(\`\${baseUrl}/pets\`, { headers })).json()).toHaveLength(1);
      });`;
    for (const name of ["a", "b"]) writeFileSync(path.join(home, `${name}.test.ts`), test);
    const vitest = path.resolve("node_modules/vitest/vitest.mjs");
    const done = run(`'${process.execPath}' '${vitest}' run --root '${home}'`);
    expect(done).toMatchObject({ status: 0 });
    expect(running()).toEqual([]);
  });
});

/** A step of a job, as far as the README uses them: its `key: value` lines. */
type Step = Readonly<Record<string, string>>;

/** Returns the steps of the README's job. */
function readmeSteps(): readonly Step[] {
  const [, text = ""] = /```yaml\n[^]*?steps:\n([^]*?)```/.exec(documentText("README.md")) ?? [];
  const steps = text.split(/^ {2}- /m).slice(1);
  return steps.map((step) =>
    Object.fromEntries(
      [...step.matchAll(/^\s*([\w-]+): (.+)$/gm)].map(([, key, value]) => [key, value]),
    ),
  );
}

/** Does what the action does: restores the newest cache that a key begins with, or saves a key that is new. */
function useCache(action: string, step: Step, folder: string, caches: string, run: string): void {
  const key = (step.key ?? "")
    .replace("${{ github.run_id }}", run)
    .replace("${{ github.run_attempt }}", "1");
  const saved = path.join(caches, key);
  if (action.startsWith("actions/cache/save@")) {
    if (existsSync(folder) && !existsSync(saved)) cpSync(folder, saved, { recursive: true });
    return;
  }
  const newest = readdirSync(caches)
    .filter((name) => name === key || name.startsWith(step["restore-keys"] ?? key))
    .toSorted()
    .at(-1);
  if (newest !== undefined) cpSync(path.join(caches, newest), folder, { recursive: true });
}

describe("the README's job on GitHub Actions", () => {
  const names = Array.from({ length: 12 }, (_none, place) => `Pet ${place + 1}`);
  const mapping = "--map Animal=name\n--map Species=category\n--value category:cat=1\n--key Chip\n";

  /** Runs the steps for `animals` in a fresh home, with caches that outlive it; returns the exit code of the one that failed. */
  function runSteps(
    env: Record<string, string>,
    caches: string,
    number: string,
    animals = names,
  ): number {
    const job = makeJob();
    const rows = animals.map((name, place) => `${name},cat,${place}\n`);
    writeFileSync(path.join(job.home, "shelter.csv"), `Animal,Species,Chip\n${rows.join("")}`);
    writeFileSync(path.join(job.home, "shelter.map"), mapping);
    let failed = 0;
    for (const step of readmeSteps()) {
      const { uses = "", run = "" } = step;
      if (failed !== 0 && step.if !== "always()") continue;
      const folder = path.join(job.home, (step.path ?? "").replace("~/", ""));
      if (uses.startsWith("actions/cache/")) useCache(uses, step, folder, caches, number);
      if (run.startsWith("pets ")) failed ||= job.run(run, env).status ?? -1;
    }
    return failed;
  }

  it("restores and saves what imports recorded, also after a failure", () => {
    expect(readmeSteps().map(({ uses = "", run = "" }) => uses || run)).toEqual([
      expect.stringMatching(/^actions\/checkout@/),
      expect.stringMatching(/^actions\/setup-node@/),
      expect.stringMatching(/^npm install --global/),
      expect.stringMatching(/^actions\/cache\/restore@/),
      expect.stringMatching(/^pets add --from /),
      expect.stringMatching(/^actions\/cache\/save@/),
    ]);
  });

  it("adds each animal once: a job that its rate limit stops, the next one, and a commit of one more", async () => {
    const { ready } = await serve(["--memory", "--plan", "8/h", "--plan", "enterprise"]);
    const unlimited = ready.keys[1]?.apiKey ?? "";
    const env = { PETS_BASE_URL: ready.baseUrl, PETS_MAX_WAIT: "0" };
    const caches = temporaryFolder();
    expect(runSteps({ ...env, PETS_API_KEY: ready.apiKey }, caches, "1")).toBe(5);
    expect(runSteps({ ...env, PETS_API_KEY: unlimited }, caches, "2")).toBe(0);
    const more = [...names, "Pet 12"];
    expect(runSteps({ ...env, PETS_API_KEY: unlimited }, caches, "3", more)).toBe(0);
    const headers = { authorization: `Bearer ${unlimited}` };
    const list = await fetch(`${ready.baseUrl}/pets?limit=100`, { headers });
    const pets = (await list.json()) as readonly { readonly name: string }[];
    expect(pets.map(({ name }) => name).toSorted()).toEqual(more.toSorted());
  });
});
