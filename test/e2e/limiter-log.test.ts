import { spawn } from "node:child_process";
import { hash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { envFor, finished, script, temporaryFolder, testKey } from "../support/program/program.ts";
import { startPaced, startWilling } from "../support/servers/paced.ts";

const alone = /^! rate limits are kept in [^\n]+: [^\n]+\n/m;

/** Returns all files below `folder`. */
function filesBelow(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) =>
    entry.isFile() ? [path.join(entry.parentPath, entry.name)] : [],
  );
}

/** Runs the program by a line of bash, in which `"$@"` is the command. */
const inShell = (line: string, args: readonly string[], env: Record<string, string>) =>
  finished(spawn("bash", ["-c", line, "bash", process.execPath, script, ...args], { env }));

describe("a state folder that can't be used", () => {
  it("as a file is in its place stops no command", async () => {
    const service = await startWilling();
    const file = path.join(temporaryFolder(), "state");
    writeFileSync(file, "");
    const env = envFor(service, { XDG_STATE_HOME: file });
    const loud = await runInTime(["list", "--json", "-v"], { env });
    expect(loud).toMatchObject({ code: 0, stdout: "[]\n" });
    expect(loud.stderr.match(new RegExp(alone, "gm"))).toHaveLength(1);
    expect(loud.stderr).not.toContain(testKey);
    const quiet = await runInTime(["list", "--json"], { env });
    expect(quiet).toMatchObject({ code: 0, stderr: "" });
  });

  it("as a full disk stops no command, at the first start and later", async () => {
    const service = await startWilling();
    const env = envFor(service);
    const full = 'ulimit -f 0; exec "$@"';
    for (let round = 0; round < 2; round += 1) {
      const run = await inShell(full, ["list", "--json", "-v"], env);
      expect(run).toMatchObject({ code: 0, stdout: "[]\n" });
      expect(run.stderr).toMatch(alone);
      const free = await runInTime(["list", "--json", "-v"], { env });
      expect(free).toMatchObject({ code: 0 });
      expect(free.stderr).not.toMatch(alone);
    }
  });

  it("as a full disk keeps a wait that was recorded before", async () => {
    const service = await startPaced((arrival) => arrival.answer(429, { "retry-after": "100" }));
    const env = envFor(service);
    await runInTime(["list", "--max-wait", "0"], { env });
    const run = await inShell('ulimit -f 0; exec "$@"', ["list", "--max-wait", "0"], env);
    expect(run).toMatchObject({ code: 5 });
    expect(service.arrivals).toHaveLength(1);
  });
});

describe("state", () => {
  it("is private under any umask, and contains nothing of the key", async () => {
    const secret = `pets-${randomBytes(24).toString("hex")}`;
    const service = await startPaced((arrival, n) =>
      arrival.answer(n === 1 ? 429 : 200, {
        "retry-after": "1",
        "x-ratelimit-limit": "10",
        "x-ratelimit-remaining": "9",
        "x-secret": secret,
      }),
    );
    const env: Record<string, string> = { ...envFor(service), PETS_API_KEY: secret };
    for (const umask of ["000", "077"]) {
      const run = await inShell(`umask ${umask}; exec "$@"`, ["list", "-v"], env);
      expect([run.code, run.stderr]).toEqual([0, run.stderr]);
    }
    const folder = path.join(env.HOME ?? "", ".local/state/pets/limiter");
    const places = [path.dirname(folder), folder, ...filesBelow(folder)];
    expect(places.map((place) => statSync(place).mode & 0o777)).toEqual([0o700, 0o700, 0o600]);
    const hidden = [secret, hash("sha256", secret), Buffer.from(secret).toString("base64")];
    const parts = hidden.flatMap((text) =>
      Array.from({ length: text.length - 9 }, (_, at) => text.slice(at, at + 10)),
    );
    for (const file of filesBelow(env.HOME ?? "")) {
      const text = file + readFileSync(file, "latin1");
      expect({ file, shows: parts.filter((part) => text.includes(part)) }).toEqual({
        file,
        shows: [],
      });
    }
  });
});
