import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { documentText } from "../support/documents/documents.ts";
import { cleanEnv, script, temporaryFolder } from "../support/program/program.ts";
import { serve } from "../support/servers/serve.ts";

/** A step of a job, as far as the README uses them: its `key: value` lines. */
type Step = Readonly<Record<string, string>>;

/** Returns the steps of the README's job. */
function steps(): readonly Step[] {
  const [, recipe = ""] = /```yaml\n[^]*?steps:\n([^]*?)```/.exec(documentText("README.md")) ?? [];
  return recipe
    .split(/^ {2}- /m)
    .slice(1)
    .map((step) =>
      Object.fromEntries(
        step.split("\n").flatMap((line) => {
          const [, key, value] = /^\s*([\w-]+): (.+)$/.exec(line) ?? [];
          return key === undefined || value === undefined ? [] : [[key, value]];
        }),
      ),
    );
}

/** A runner like GitHub's: a fresh home for each job, and caches that outlive it. */
function makeRunner(files: Readonly<Record<string, string>>) {
  const caches = temporaryFolder();
  let runs = 0;
  return (env: NodeJS.ProcessEnv) => {
    const home = temporaryFolder();
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(home, name), text);
    mkdirSync(path.join(home, "bin"));
    const pets = `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`;
    writeFileSync(path.join(home, "bin/pets"), pets, { mode: 0o755 });
    const clean = cleanEnv(home);
    const world = { ...clean, ...env, PATH: `${path.join(home, "bin")}:${clean.PATH}` };
    runs += 1;
    return runJob({ home, env: world, caches, run: runs });
  };
}

interface Job {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly caches: string;
  readonly run: number;
}

/** Runs the steps of a job, and returns the exit code of the one that failed it. */
function runJob(job: Job): number {
  let failed = 0;
  for (const step of steps()) {
    if (failed !== 0 && step.if !== "always()") continue;
    const code = runStep(step, job);
    failed ||= code;
  }
  return failed;
}

function runStep({ uses = "", run = "", ...step }: Step, job: Job): number {
  if (uses.startsWith("actions/cache/")) useCache(uses, step, job);
  if (!run.startsWith("pets ")) return 0;
  const { status } = spawnSync("sh", ["-ec", run], { cwd: job.home, env: job.env });
  return status ?? -1;
}

/** Does what the action does: restores the newest cache that a key begins with, or saves a key that is new. */
function useCache(action: string, step: Step, { home, caches, run }: Job): void {
  const folder = path.join(home, (step.path ?? "").replace("~/", ""));
  const key = (step.key ?? "")
    .replace("${{ github.run_id }}", `${run}`)
    .replace("${{ github.run_attempt }}", "1");
  const saved = path.join(caches, key);
  if (action.startsWith("actions/cache/save@")) {
    if (existsSync(folder) && !existsSync(saved)) cpSync(folder, saved, { recursive: true });
    return;
  }
  const [newest] = readdirSync(caches)
    .filter((name) => name === key || name.startsWith(step["restore-keys"] ?? key))
    .toSorted()
    .toReversed();
  if (newest !== undefined) cpSync(path.join(caches, newest), folder, { recursive: true });
}

describe("the README's job on GitHub Actions", () => {
  const names = Array.from({ length: 12 }, (_none, place) => `Pet ${place + 1}`);
  const rows = names.map((name) => `${name},1\n`).join("");

  it("restores and saves what imports recorded, also after a failure", () => {
    const used = steps().map(({ uses = "", run = "" }) => uses || run);
    expect(used).toEqual([
      expect.stringMatching(/^actions\/checkout@/),
      expect.stringMatching(/^actions\/setup-node@/),
      expect.stringMatching(/^npm install --global/),
      expect.stringMatching(/^actions\/cache\/restore@/),
      expect.stringMatching(/^pets add --from /),
      expect.stringMatching(/^actions\/cache\/save@/),
    ]);
  });

  it("adds each animal once, although the first job stops at its rate limit", async () => {
    const { ready } = await serve(["--memory", "--plan", "8/h", "--plan", "enterprise"]);
    const [, unlimited] = ready.keys;
    const env = { PETS_BASE_URL: ready.baseUrl, PETS_MAX_WAIT: "0" };
    const runner = makeRunner({ "new-arrivals.csv": `name,categoryId\n${rows}` });
    expect(runner({ ...env, PETS_API_KEY: ready.apiKey })).toBe(5);
    expect(runner({ ...env, PETS_API_KEY: unlimited?.apiKey })).toBe(0);
    const authorization = `Bearer ${unlimited?.apiKey}`;
    const list = await fetch(`${ready.baseUrl}/pets?limit=100`, { headers: { authorization } });
    const pets = (await list.json()) as readonly { readonly name: string }[];
    expect(pets.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  });
});
