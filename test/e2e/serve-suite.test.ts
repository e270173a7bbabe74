import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { scenarios } from "../../src/commands/serve/suite/scenarios.ts";
import {
  cleanEnv,
  finished,
  runPets,
  startPets,
  temporaryFolder,
} from "../support/program/program.ts";

/** A command that a shell runs. */
const shell = (line: string): readonly string[] => ["--", "sh", "-c", line];

const rows = String.raw`'{"name":"n%d","categoryId":1}\n'`;
const add = "pets add --name Rex --category 1 -q";
/** What pets does in a scenario; the first request that a step is for meets it. */
const clients = {
  add,
  list: "pets list",
  get: `${add} && pets get 1`,
  all: `printf ${rows} 1 2 3 > "$0.ndjson" && pets add --from "$0.ndjson" -q && pets list`,
} as const;

/** Returns which client a scenario needs, and how long that waits for a response. */
function clientFor({ name }: { readonly name: string }, place: number): string {
  const [on] = name.split("-");
  const client = { get: place % 4 === 0 ? clients.get : clients.list, post: clients.add }[`${on}`];
  return `export PETS_TIMEOUT=${name.endsWith("-hang") ? 2 : 60}s; ${client ?? clients.all}`;
}

describe("pets serve --suite", () => {
  it("passes pets whole: list, get, add and an import", async () => {
    const groups = Map.groupBy(scenarios, clientFor);
    const results = await Promise.all(
      [...groups].map(async ([client, mine]) => {
        const words = mine.flatMap(({ name }) => ["--scenario", name]);
        const file = path.join(temporaryFolder(), "client");
        const suite = ["serve", "--suite", "--json", ...words];
        for (;;) {
          const run = await runPets([...suite, ...shell(client), file]);
          const ended: readonly { readonly result: string }[] = JSON.parse(run.stdout);
          // On a busy machine the ban may have ended before the command is there.
          if (ended.every(({ result }) => result !== "not reached"))
            return { code: run.code, stderr: run.stderr, results: ended };
        }
      }),
    );
    const failed = results.flatMap((part) =>
      part.results.filter(({ result }) => result !== "passed"),
    );
    expect(failed).toEqual([]);
    for (const part of results) expect(part).toMatchObject({ code: 0, stderr: "" });
  });

  it("says what a client did wrong, and at which request", async () => {
    const folder = temporaryFolder();
    const report = path.join(folder, "report.xml");
    const retry = `curl -sf --json '{"name":"Rex","categoryId":1}' -H "Authorization: Bearer $PETS_API_KEY" $PETS_BASE_URL/pets`;
    const words = ["serve", "--suite", "--scenario", "post-stored-500", "--scenario", "get-500"];
    const twice = shell(`echo trying; ${retry} || ${retry}`);
    const run = await runPets([...words, "--report", report, ...twice]);
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(
      /^post-stored-500 +failed +2 +0 +request 2 \(POST \/v1\/pets\) added "Rex" again/m,
    );
    expect(run.stdout).toMatch(/^get-500 +not reached +/m);
    expect(run.stderr).toMatch(/^--- post-stored-500\ntrying\n/);
    expect(readFileSync(report, "utf8")).toContain(
      '<testsuites tests="2" failures="1" skipped="1"',
    );
  });

  it("exits with 2 if no scenario was reached, and keeps what the command printed", async () => {
    const logs = path.join(temporaryFolder(), "logs");
    const words = ["serve", "--suite", "--scenario", "get-500", "--logs", logs];
    const run = await runPets([...words, ...shell("echo hello; exit 7")]);
    expect(run).toMatchObject({ code: 2, stderr: "1 scenario: 1 not reached.\n" });
    expect(readdirSync(logs)).toEqual(["get-500.log"]);
    expect(readFileSync(path.join(logs, "get-500.log"), "utf8")).toBe("hello\n");
  });

  it("ends a command that ignores signals when it is interrupted, and leaves nothing", async () => {
    const folder = temporaryFolder();
    const signOfLife = path.join(folder, "alive");
    const TMPDIR = path.join(folder, "tmp");
    mkdirSync(TMPDIR);
    const line = `trap "" INT TERM; while :; do echo >> ${signOfLife}; sleep 0.1; done`;
    const words = ["serve", "--suite", "--scenario", "get-500", ...shell(line)];
    const child = startPets(words, { env: { ...cleanEnv(), TMPDIR } });
    const ended = finished(child);
    await expect.poll(() => existsSync(signOfLife)).toBe(true);
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 130, stderr: "pets: interrupted\n" });
    expect(readdirSync(TMPDIR)).toEqual([]);
    rmSync(signOfLife);
    await sleep(500);
    expect(existsSync(signOfLife)).toBe(false);
  });
});
