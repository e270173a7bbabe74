import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { hasProgram } from "../support/program/has-program.ts";
import {
  cleanEnv,
  envFor,
  type Finished,
  finished,
  script,
  temporaryFolder,
} from "../support/program/program.ts";
import { startFaultyStore } from "../support/servers/faulty-store.ts";
import { namesIn } from "../support/servers/imports.ts";
import { reply, type Stranger, startStranger } from "../support/servers/stranger.ts";

const examples = path.resolve(import.meta.dirname, "../examples");
const scripts = readdirSync(examples).filter((name) => name.endsWith(".sh"));
const isPosix = process.platform !== "win32";

/** Returns `env` with the built program as `pets` first in its path. */
function withPets(env: Env): Env {
  const folder = path.join(temporaryFolder(), "bin");
  mkdirSync(folder);
  const text = `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`;
  writeFileSync(path.join(folder, "pets"), text, { mode: 0o755 });
  return { ...env, PATH: `${folder}:${env.PATH ?? ""}` };
}

type Env = Record<string, string>;

/** Starts a script in a process group of its own, as on a terminal, so that a signal reaches the shell and `pets`. */
function startExample([name = "", ...args]: readonly string[], env: Env) {
  return spawn("sh", [path.join(examples, name), ...args], { env: withPets(env), detached: true });
}

function runExample(words: readonly string[], env: Env, input = "") {
  const child = startExample(words, env);
  child.stdin.on("error", () => {}).end(input);
  return finished(child);
}

/** Sends `signal` to all processes of an example once its `pets` waits for `service`. */
async function interrupted(
  words: readonly string[],
  { service, signal, input = "" }: { service: Stranger; signal: NodeJS.Signals; input?: string },
): Promise<Finished> {
  const child = startExample(words, strangerEnv(service));
  child.stdin.end(input);
  const end = finished(child);
  await expect.poll(() => service.requests.length).toBe(1);
  process.kill(-(child.pid ?? 0), signal);
  return end;
}

const strangerEnv = ({ baseUrl }: Pick<Stranger, "baseUrl">): Env => ({
  ...cleanEnv(),
  PETS_BASE_URL: baseUrl,
  PETS_API_KEY: "key-of-the-tests",
});

/** A service that fails without any wait: it does not speak TLS. */
async function unreachable(): Promise<Env> {
  const { baseUrl } = await startStranger(() => {});
  return strangerEnv({ baseUrl: baseUrl.replace("http:", "https:") });
}

/** Ways to fail completely, and the exit code of `pets`. */
const failing = [
  ["no key", 4, async () => ({ ...(await unreachable()), PETS_API_KEY: "" })],
  ["a service that cannot be reached", 6, unreachable],
] as const;

describe("the example scripts", () => {
  it.skipIf(!hasProgram("shellcheck"))("are clean under shellcheck", () => {
    const files = scripts.map((name) => path.join(examples, name));
    expect(execFileSync("shellcheck", files, { encoding: "utf8" })).toBe("");
  });

  it("are each linked from the README", () => {
    const readme = readFileSync(path.resolve(examples, "../../README.md"), "utf8");
    for (const name of scripts) expect(readme).toContain(`(test/examples/${name})`);
  });

  it.runIf(isPosix).each(scripts)("%s is executable", (name) => {
    expect(statSync(path.join(examples, name)).mode & 0o111).not.toBe(0);
  });
});

describe.runIf(isPosix)("add-names.sh", () => {
  it("adds each line, whatever is in it, and prints the ids", async () => {
    const lab = await startFaultyStore();
    const names = ["Rex", "-rf *", "  Łatka 'the' \"Brave\"", "$HOME `id` \\n", "no line end"];
    const input = `${names.slice(0, 2).join("\r\n")}\n\r\n\n${names.slice(2).join("\n")}`;
    const run = await runExample(["add-names.sh", "7"], envFor(lab), input);
    expect(run).toMatchObject({ code: 0, stdout: "1\n2\n3\n4\n5\n" });
    expect(run.stderr).toBe("5 added, 0 refused, 0 unknown\n");
    expect(await namesIn(lab)).toEqual(names);
  });

  it("distinguishes rejected and unknown animals, and continues", async () => {
    const answers = [
      reply(201, '{"id":1,"name":"Rex","categoryId":7}'),
      reply(500, ""),
      reply(400, '{"code":"bad_request","message":"name is too odd","status":400}'),
      reply(201, '{"id":2,"name":"Max","categoryId":7}'),
    ];
    const service = await startStranger((one, response, n) => answers[n]?.(one, response, n));
    const file = path.join(temporaryFolder(), "names with spaces.txt");
    writeFileSync(file, "Rex\nLuna\nOdd\nMax\n");
    const run = await runExample(["add-names.sh", "7", file], strangerEnv(service));
    expect(run).toMatchObject({ code: 9, stdout: "1\n2\n" });
    expect(run.stderr).toMatch(/^unknown: Luna$/m);
    expect(run.stderr).toContain("name is too odd");
    expect(run.stderr.trim().split("\n").at(-1)).toBe("2 added, 1 refused, 1 unknown");
    expect(service.requests).toHaveLength(4);
  });

  it.each(failing)("stops at the first name with %s: %d", async (_what, code, env) => {
    const run = await runExample(["add-names.sh", "7"], await env(), "Rex\nLuna\n");
    expect(run).toMatchObject({ code, stdout: "" });
    expect(run.stderr.match(/^pets: /gm)).toHaveLength(1);
    expect(run.stderr).toContain("0 added, 0 refused, 0 unknown; stopped at: Rex\n");
  });

  it("says at SIGINT where it was", async () => {
    const service = await startStranger(() => {});
    const how = { service, signal: "SIGINT", input: "Rex\nLuna\n" } as const;
    const run = await interrupted(["add-names.sh", "7"], how);
    expect(run).toMatchObject({ code: 130, stdout: "" });
    expect(run.stderr).toContain("may or may not have been added");
    expect(run.stderr).toContain("0 added, 0 refused, 0 unknown; stopped at: Rex\n");
    expect(service.requests).toHaveLength(1);
  });
});

describe.runIf(isPosix)("ci-job.sh", () => {
  it("passes on its own store, faults included", async () => {
    const run = await runExample(["ci-job.sh"], cleanEnv());
    expect(run).toMatchObject({ code: 0, stdout: "ci-job: passed\n" });
    expect(run.stderr).toContain("may or may not have been added");
  });

  it("fails without a store", async () => {
    const run = await runExample(["ci-job.sh"], { ...(await unreachable()), CI_JOB_STORE: "1" });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain("ci-job: Rex could not be added");
  });
});

describe.runIf(isPosix)("export-csv.sh", () => {
  const old = "what was there\n";

  function fileWithOld(): string {
    const file = path.join(temporaryFolder(), "all animals.csv");
    writeFileSync(file, old);
    return file;
  }

  /** Expects that the file is unchanged, and nothing is next to it. */
  function expectUntouched(file: string): void {
    expect(readFileSync(file, "utf8")).toBe(old);
    expect(readdirSync(path.dirname(file))).toEqual([path.basename(file)]);
  }

  it("writes all statuses below one header, silently", async () => {
    const lab = await startFaultyStore({ seed: 60 });
    const file = fileWithOld();
    const run = await runExample(["export-csv.sh", file], envFor(lab));
    expect(run).toMatchObject({ code: 0, stdout: "", stderr: "" });
    const lines = readFileSync(file, "utf8").split("\r\n");
    expect(lines[0]).toBe("id,name,categoryId,status");
    expect(lines.filter((line) => line.startsWith("id,"))).toHaveLength(1);
    const page = await lab.storage.list({ limit: 100, status: undefined });
    const pets: { status?: string }[] = JSON.parse(Buffer.from(page).toString());
    const listed = pets.filter(({ status }) => status !== undefined).length;
    expect(lines.slice(1, -1)).toHaveLength(listed);
    expect(readdirSync(path.dirname(file))).toEqual([path.basename(file)]);
    expect(statSync(file).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  it("names the status that may have more animals", async () => {
    const lab = await startFaultyStore({ seed: 400 });
    const run = await runExample(["export-csv.sh", fileWithOld()], envFor(lab));
    expect(run.code).toBe(0);
    expect(run.stderr).toContain("export-csv: 100 animals are available, and there may be more");
  });

  it("keeps the old file if the service fails halfway", async () => {
    const file = fileWithOld();
    const service = await startStranger((one, response, n) =>
      (n === 0 ? reply(200, "[]") : reply(410, ""))(one, response, n),
    );
    const run = await runExample(["export-csv.sh", file], strangerEnv(service));
    expect(run).toMatchObject({ code: 7, stdout: "" });
    expect(run.stderr).toContain(`export-csv: ${file} was left as it was`);
    expectUntouched(file);
  });

  it("keeps the old file at SIGTERM", async () => {
    const [service, file] = [await startStranger(() => {}), fileWithOld()];
    const run = await interrupted(["export-csv.sh", file], { service, signal: "SIGTERM" });
    expect(run.code).toBe(143);
    expectUntouched(file);
  });
});

describe.runIf(isPosix)("check-available.sh", () => {
  it.each([
    [0, "1", 1, "TOO FEW: 0 available, at least 1 wanted\n"],
    [100, "100", 0, "OK: at least 100 available\n"],
  ])("of %d, with MIN %s: %d", async (count, min, code, stdout) => {
    const pets = Array.from({ length: count }, (_, id) => ({ id, name: "a\nb", categoryId: 1 }));
    const service = await startStranger(reply(200, JSON.stringify(pets)));
    const run = await runExample(["check-available.sh", min], strangerEnv(service));
    expect(run).toEqual({ code, stdout, stderr: "", signal: null });
    expect(service.requests[0]?.url).toContain("status=available");
  });

  it.each([["0"], ["1\n2"]])("rejects MIN %j", async (min) => {
    const run = await runExample(["check-available.sh", min], cleanEnv());
    expect(run).toMatchObject({ code: 3, stderr: "" });
    expect(run.stdout).toMatch(/^UNKNOWN: usage: .*\n$/);
  });

  it.each(failing)("can't tell with %s", async (_what, _code, env) => {
    const run = await runExample(["check-available.sh", "5"], await env());
    expect(run).toMatchObject({ code: 3, stdout: expect.stringMatching(/^UNKNOWN: .*\n$/) });
    expect(run.stderr).toContain("pets: ");
  });
});
