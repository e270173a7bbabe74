import { spawnSync } from "node:child_process";
import {
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

/** Returns the code of the recipe that follows `title` in the topic. */
function recipe(title: string): string {
  const text = documentText("src/help/topics/store.md");
  const rest = text.slice(text.indexOf(`\n${title}`));
  return /```\w+\n([^]*?)```/.exec(rest)?.[1] ?? "";
}

/** Makes a directory with a project, and an environment whose `pets` and `npm test` run here. */
function project(test: string) {
  const folder = temporaryFolder();
  const bin = path.join(folder, "bin");
  mkdirSync(bin);
  const pets = `exec '${process.execPath}' '${script}' "$@"`;
  for (const [name, text] of [
    ["pets", pets],
    ["npm", test],
  ] as const)
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const env = cleanEnv(folder);
  return {
    folder,
    env: { ...env, PATH: `${bin}:${env.PATH}`, GITHUB_ENV: path.join(folder, "env") },
  };
}

const run = (line: string, { folder, env }: ReturnType<typeof project>) =>
  spawnSync("sh", ["-ec", line], { cwd: folder, env, encoding: "utf8" });

/** Returns the logs of stores that have not been stopped. */
const running = ({ folder }: { readonly folder: string }): readonly string[] => {
  const state = path.join(folder, ".local/state/pets");
  return existsSync(state) ? readdirSync(state).filter((name) => name.startsWith("serve-")) : [];
};

describe("a recipe of the topic `store`", () => {
  const client = "pets add --name Rex --category 1 -q && pets list -q";

  it("runs in the steps of GitHub Actions", () => {
    const world = project(client);
    const steps = recipe("In GitHub Actions").match(/(?<=- run: ).*/g) ?? [];
    expect(steps).toHaveLength(4);
    for (const step of steps) {
      const free = step.replace("pets serve", "pets serve --port 0");
      // The runner sets what an earlier step has written.
      const line = `set -a; touch "$GITHUB_ENV"; . "$GITHUB_ENV"; set +a; ${free}`;
      expect({ step, ...run(line, world) }).toMatchObject({ status: 0 });
    }
    expect(JSON.parse(readFileSync(path.join(world.folder, "check.json"), "utf8"))).toMatchObject({
      requests: { 200: 1, 201: 1 },
    });
    expect(running(world)).toEqual([]);
  });

  it("runs in a job of GitLab", () => {
    const world = project(client);
    const [, lines = "", after = ""] =
      /script:\n([^]*?)  after_script:\n([^]*)/.exec(recipe("In GitLab")) ?? [];
    for (const part of [lines, after]) {
      const text = part.replaceAll(/^ +- /gm, "").replace("pets serve", "pets serve --port 0");
      expect({ text, ...run(text, world) }).toMatchObject({ status: 0 });
    }
    expect(running(world)).toEqual([]);
  });

  it("runs as vitest's globalSetup", { timeout: 60_000 }, () => {
    const world = project("");
    const { folder } = world;
    symlinkSync(path.resolve("node_modules"), path.join(folder, "node_modules"));
    writeFileSync(path.join(folder, "setup.ts"), documentText("test/examples/vitest-stores.ts"));
    const config = `export default { test: { globalSetup: "./setup.ts", maxWorkers: 2 } };`;
    writeFileSync(path.join(folder, "vitest.config.mjs"), config);
    const test = `
      import { expect, inject, it } from "vitest";
      it("has a store of its own", async () => {
        const { baseUrl, apiKey } = inject("stores")[Number(process.env.VITEST_POOL_ID) - 1];
        const headers = { authorization: \`Bearer \${apiKey}\` };
        const add = { method: "POST", headers, body: '{"name":"Rex","categoryId":1}' };
        expect((await fetch(\`\${baseUrl}/pets\`, add)).status).toBe(201);
        expect(await (await fetch(\`\${baseUrl}/pets\`, { headers })).json()).toHaveLength(1);
      });`;
    for (const name of ["a", "b"]) writeFileSync(path.join(folder, `${name}.test.ts`), test);
    const vitest = path.resolve("node_modules/vitest/vitest.mjs");
    const done = run(`'${process.execPath}' '${vitest}' run --root '${folder}'`, world);
    expect(done).toMatchObject({ status: 0 });
    expect(running(world)).toEqual([]);
  });
});
