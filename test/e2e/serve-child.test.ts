import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { expire } from "../client/support/certificate.ts";
import { followPets } from "../support/program/followed.ts";
import { cleanEnv, runPets, temporaryFolder } from "../support/program/program.ts";
import { smallDisk } from "../support/program/small-disk.ts";
import { freePort } from "../support/servers/free-port.ts";
import { serve } from "../support/servers/serve.ts";
import { tlsFiles } from "../support/servers/tls.ts";

/** Makes a script with the line ends of Windows. */
function crlf(): string {
  const file = path.join(temporaryFolder(), "client");
  writeFileSync(file, "#!/bin/sh\r\npets list\r\n");
  chmodSync(file, 0o755);
  return file;
}

const listIn = (TMPDIR: string) =>
  runPets(["serve", "--", "pets", "list", "--json"], { env: { ...cleanEnv(), TMPDIR } });

describe("the folder of a command", () => {
  it("is removed by the next start where its process was killed, and not before", async () => {
    const TMPDIR = temporaryFolder();
    const { cert, key } = tlsFiles();
    const ownCa = { NODE_EXTRA_CA_CERTS: cert };
    const env = { ...cleanEnv(), ...ownCa, TMPDIR };
    const stop = path.join(temporaryFolder(), "stop");
    const wait = `until [ -e "${stop}" ]; do sleep 0.05; done`;
    const list = ["--", "sh", "-c", `ls $TMPDIR/pets-serve-*; echo >&2 ready; ${wait}`];
    const tls = ["--tls-cert", cert, "--tls-key", key];
    const { child, end, saw } = followPets(["serve", ...tls, ...list], { env });
    await saw(/ready/);
    const count = ["serve", "--", "sh", "-c", "ls $TMPDIR | wc -l"];
    expect(await runPets(count, { env })).toMatchObject({ stdout: "2\n" });
    child.kill("SIGKILL");
    writeFileSync(stop, "");
    const { stdout } = await end;
    expect(stdout.split("\n")).toEqual(["lock", "pets", "trusted.pem", ""]);
    expect(readdirSync(TMPDIR)).toHaveLength(1);
    expect(await runPets(count, { env })).toMatchObject({ stdout: "1\n" });
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  it("is elsewhere where TMPDIR runs no programs, or would split the PATH", async ({ skip }) => {
    const split = path.join(temporaryFolder(), "a:b");
    mkdirSync(split);
    expect(await listIn(split)).toMatchObject({ code: 0, stdout: "[]\n" });
    expect(await listIn(smallDisk("1m,noexec", skip))).toMatchObject({ code: 0, stdout: "[]\n" });
  });
});

describe("a command that cannot be run", () => {
  it.each([[[]], [["--check"]], [["--suite", "--scenario", "get-500"]]])(
    "is named with the cause and the shell's code: %j",
    async (options) => {
      const file = crlf();
      const run = await runPets(["serve", ...options, "--", file]);
      expect(run).toMatchObject({ code: 127, stdout: "" });
      expect(run.stderr).toContain(`pets: cannot run ${file}: its lines end in CRLF; `);
    },
  );

  it("leaves nothing behind", async () => {
    const env = { ...cleanEnv(), TMPDIR: temporaryFolder() };
    await runPets(["serve", "--suite", "--", crlf()], { env });
    expect(readdirSync(env.TMPDIR)).toEqual([]);
  });
});

it("opens no inspector at SIGUSR1, and serves on", async () => {
  const port = await freePort();
  const env = { ...cleanEnv(), NODE_OPTIONS: `--inspect-port=${port}` };
  const { child, ready, told, ended } = await serve(["--memory"], env);
  child.kill("SIGUSR1");
  // Node would have said so before it handles the next request.
  expect((await fetch(new URL("/healthz", ready.baseUrl))).status).toBe(200);
  const inspected = fetch(`http://127.0.0.1:${port}/json`);
  await expect(inspected).rejects.toThrow("fetch failed");
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(told()).not.toMatch(/debugger/i);
});

it("says that a certificate has expired, and serves", async () => {
  const { cert, key } = tlsFiles();
  writeFileSync(cert, expire({ key: readFileSync(key) }).cert);
  const { ready, told } = await serve(["--memory", "--tls-cert", cert, "--tls-key", key]);
  expect(ready.baseUrl).toMatch(/^https:/);
  expect(told()).toMatch(`warning: the certificate ${cert} expired at `);
});

describe("an output that cannot be written", () => {
  it("is named, with exit code 1, before anything runs", async ({ skip }) => {
    const disk = smallDisk("1m", skip);
    const [logs, state] = [path.join(disk, "logs"), path.join(disk, "state")];
    for (const folder of [logs, state]) mkdirSync(folder);
    execFileSync("mount", ["-o", "remount,ro", disk]);
    const never = ["--", "sh", "-c", "echo it runs"];
    const suite = ["--suite", "--scenario", "get-500"];
    const home = { ...cleanEnv(disk), XDG_CACHE_HOME: logs };
    const cases: [words: string[], message: string, env?: Record<string, string>][] = [
      [[...suite, "--logs", logs, ...never], `the log ${logs}/get-500.log cannot be written`],
      [[...suite, "--logs", `${disk}/new`, ...never], `cannot create the directory ${disk}/new`],
      [[...suite, "--report", `${disk}/x.xml`, ...never], `the report ${disk}/x.xml cannot be`],
      [["--check", "--report", `${disk}/x`, ...never], `the report ${disk}/x cannot be written`],
      [["--write-env", `${disk}/env`, ...never], `${disk}/env cannot be written`],
      [["--detach", "--memory"], "serve-starting-", { ...cleanEnv(), XDG_STATE_HOME: state }],
      [never, "no directory can be used for temporary files", { ...home, TMPDIR: disk }],
    ];
    for (const [words, message, env = cleanEnv()] of cases) {
      const run = await runPets(["serve", ...words], { env });
      expect(run).toMatchObject({ code: 1, stdout: "" });
      expect(run.stderr).toMatch(/^pets: .*read-only file system/);
      expect(run.stderr).toContain(message);
    }
  });

  it("is named where it is no directory, or the disk is full", async ({ skip }) => {
    const file = path.join(temporaryFolder(), "file");
    writeFileSync(file, "");
    const suite = ["serve", "--suite", "--scenario", "get-500"];
    expect(await runPets([...suite, "--logs", file, "--", "true"])).toMatchObject({
      code: 1,
      stderr: `pets: cannot create the directory ${file}: file already exists\n`,
    });
    const disk = smallDisk("16k", skip);
    const report = path.join(disk, "report.json");
    const fill = `head -c 99999 /dev/zero > "${disk}/big"`;
    const run = await runPets(["serve", "--check", "--report", report, "--", "sh", "-c", fill]);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(`the report ${report} cannot be written: no space left`);
  });

  it("is named where the log of a store in the background is in the way", async () => {
    const env = cleanEnv();
    const port = String(await freePort());
    const log = path.join(env.HOME ?? "", `.local/state/pets/serve-${port}.log`);
    mkdirSync(log, { recursive: true });
    const words = ["serve", "--memory", "--detach", "--no-profile", "--port", port];
    const run = await runPets(words, { env });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain(`pets: the log ${log} cannot be written: it is a directory\n`);
    expect(existsSync(log)).toBe(true);
  });
});
