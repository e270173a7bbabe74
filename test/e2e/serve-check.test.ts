import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runPets, temporaryFolder } from "../support/program/program.ts";

/** Runs a command on a store that judges its clients; returns the report as well. */
async function check(command: readonly string[], options: readonly string[] = []) {
  const file = path.join(temporaryFolder(), "report.json");
  const words = ["serve", "--check", "--report", file, ...options, "--", ...command];
  const run = await runPets(words);
  return { ...run, file, report: JSON.parse(readFileSync(file, "utf8")) };
}

/** Returns a client as a program for Node, with `ask` for a request. */
function nodeClient(body: string): readonly string[] {
  const text = `
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const ask = (path, { fault, ...options } = {}) =>
      fetch(new URL(path, process.env.PETS_BASE_URL), {
        headers: {
          authorization: "Bearer " + process.env.PETS_API_KEY,
          ...(fault && { "x-pets-fault": fault }),
        },
        ...options,
      }).then((reply) => reply.text()).catch(() => {});
    const add = { method: "POST", body: '{"name":"Rex","categoryId":1}' };
    /** Sends a request that is answered late, and leaves once the store has this many animals. */
    const leave = async (options, pets) => {
      const gone = new AbortController();
      const asked = ask("/v1/pets", { ...options, fault: "delay=60000", signal: gone.signal });
      while (JSON.parse(await ask("/_store/state")).pets < pets) await sleep(5);
      gone.abort();
      return asked;
    };
    (async () => { ${body} })();`;
  return [process.execPath, "-e", text];
}

/** Two requests with so much between them that the second was not on its way when the first was refused. */
const askTwice = `await ask("/v1/pets"); await sleep(280); await ask("/v1/pets");`;
const earlyClient = nodeClient(askTwice);

/** Options of a store that refuses the first request, and announces a minute. */
function refusing(): readonly string[] {
  const script = path.join(temporaryFolder(), "script.ndjson");
  writeFileSync(script, '{"on":"GET /pets","do":429,"retryAfter":60}');
  return ["--script", script];
}

interface Named {
  readonly name: string;
}

describe.concurrent("pets serve --check", () => {
  it("passes a command that does nothing wrong, and reports it", async () => {
    const run = await check(nodeClient(`await ask("/v1/pets", add); await ask("/v1/pets");`));
    expect(run).toMatchObject({ code: 0, stdout: "" });
    expect(run.report).toEqual({
      requests: { 200: 1, 201: 1 },
      early: 0,
      bans: 0,
      duplicates: [],
      abandoned: 0,
    });
    expect(run.stderr).toContain("Requests     2 (200: 1, 201: 1)\n");
    expect(run.stderr).toMatch(/\nCheck passed\n$/);
    expect(statSync(run.file).mode & 0o777).toBe(0o600);
  });

  it.each(["500", "reset"])("finds an animal that was added again after %s", async (fault) => {
    const run = await check(
      nodeClient(`for (let n = 0; n < 20; n++) {
        const named = { ...add, body: add.body.replace("Rex", "Rex" + n) };
        await ask("/v1/pets", { ...named, fault: "${fault}" });
        await ask("/v1/pets", named);
      }`),
    );
    expect(run.code).toBe(1);
    expect(run.report.duplicates.length).toBeGreaterThan(2);
    expect(run.report.duplicates.length).toBeLessThan(18);
    for (const { ids } of run.report.duplicates) expect(ids[1]).toBe(ids[0] + 1);
    expect(run.stderr).toContain(`"${run.report.duplicates[0].name}" (ids `);
  });

  it("finds every animal that a client added twice by sending again as soon as it stopped waiting", async () => {
    const run = await check(
      nodeClient(`
        for (let n = 0; n < 15; n++) {
          const named = { ...add, body: add.body.replace("Rex", "Rex" + n) };
          await leave(named, 2 * n + 1);
          await ask("/v1/pets", named);
        }`),
    );
    const twice = Array.from({ length: 15 }, (_none, n) => `Rex${n}`);
    expect(run.report.duplicates.map(({ name }: Named) => name).toSorted()).toEqual(
      twice.toSorted(),
    );
  });

  it("counts requests during a forced Retry-After, and bans", async () => {
    const forced = await check(earlyClient, refusing());
    expect(forced).toMatchObject({ code: 1, report: { early: 1, bans: 0, abandoned: 0 } });
    const banned = await check(
      nodeClient(`for (let n = 0; n < 6; n++) { await ask("/v1/pets?" + n); await sleep(300); }`),
      ["--plan", "1/min,9/day", "--clock", "2026-11-05T12:00:00Z"],
    );
    expect(banned).toMatchObject({ code: 1, report: { early: 4, bans: 1, abandoned: 5 } });
  });
});

describe("--report", () => {
  it("is opened before the command starts, or the command does not run", async () => {
    const folder = temporaryFolder();
    const ran = path.join(folder, "ran");
    for (const file of [folder, path.join(folder, "missing", "x.json")]) {
      const run = await runPets(["serve", "--report", file, "--", "touch", ran]);
      expect(run).toMatchObject({ code: 1, stdout: "" });
      expect(run.stderr).toContain(`pets: the report ${file} cannot be written`);
    }
    expect(existsSync(ran)).toBe(false);
  });

  it("replaces a file, even through a link, and makes it private", async () => {
    const folder = temporaryFolder();
    const [file, link] = [path.join(folder, "old.json"), path.join(folder, "link.json")];
    writeFileSync(file, "x".repeat(9_999), { mode: 0o644 });
    symlinkSync(file, link);
    const seen = `[ ! -s ${link} ] && stat -L -c %a ${link}`;
    const run = await runPets(["serve", "--report", link, "--", "sh", "-c", seen]);
    expect(run).toMatchObject({ code: 0, stdout: "600\n", stderr: "" });
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ requests: {} });
  });

  it("does not change the exit code of the command by itself", async () => {
    const file = path.join(temporaryFolder(), "report.json");
    const run = await runPets(["serve", "--report", file, ...refusing(), "--", ...earlyClient]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ early: 1 });
  });
});
