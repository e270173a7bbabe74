import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasProgram } from "../support/program/has-program.ts";
import { childrenOf, hasPidNamespaces, inPidNamespace } from "../support/program/namespace.ts";
import { envFor, finished, runPets, script, startPets } from "../support/program/program.ts";
import { ptyAvailable, startOnPty } from "../support/program/pty.ts";
import { petsFile } from "../support/servers/imports.ts";
import { startRefusing } from "../support/servers/paced.ts";
import { serveForPeople } from "../support/servers/serve.ts";
import { type Answer, reply, startStranger, type Stranger } from "../support/servers/stranger.ts";

const silence: Answer = () => {};
const refusing = reply(429, "", { "retry-after": "60" });

/** Starts a bash script in a process group of its own, in which `pets` is the built program. */
function startBash(lines: string, env: Record<string, string>) {
  const pets = `pets() { ${process.execPath} ${script} "$@"; }\n`;
  const child = spawn("bash", ["-c", pets + lines], { env, detached: true });
  const group = -Number(child.pid);
  onTestFinished(() => void (child.exitCode ?? child.signalCode ?? process.kill(group, "SIGKILL")));
  return { group, said: once(child.stderr, "data"), end: finished(child) };
}

async function requested({ requests }: Stranger): Promise<void> {
  await expect.poll(() => requests.length).toBe(1);
}

describe.runIf(hasProgram("bash"))("a loop of a shell", () => {
  const add = "pets add --name Rex$i --category 1";
  it.each([
    ["add", `for i in 1 2 3; do ${add}; done; echo after`],
    ["a while loop", `while :; do pets list; done; echo after`],
    ["a pipe", `for i in 1 2 3; do ${add} | cat; done; echo after`],
    ["a wait for the limiter", `for i in 1 2 3; do ${add}; done; echo after`],
  ])("ends with Ctrl-C: %s", async (what, lines) => {
    const stranger = await startStranger(what.startsWith("a wait") ? refusing : silence);
    const { group, said, end } = startBash(lines, envFor(stranger));
    await requested(stranger);
    if (what.startsWith("a wait")) await said;
    process.kill(group, "SIGINT");
    expect(await end).toMatchObject({ signal: "SIGINT", stdout: "" });
    expect(stranger.requests).toHaveLength(1);
  });

  it("ends with an interrupted import", async () => {
    const file = petsFile(1);
    const stranger = await startStranger(silence);
    const lines = `for i in 1 2; do pets add --from ${file} --timeout 1; done; echo after`;
    const { group, end } = startBash(lines, envFor(stranger));
    await requested(stranger);
    process.kill(group, "SIGINT");
    expect(await end).toMatchObject({ signal: "SIGINT" });
    expect(stranger.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });
});

describe("a signal", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("ends the process itself, once all is written: %s", async (signal, exitCode) => {
    const stranger = await startStranger(silence);
    const child = startPets(["list", "--json"], { env: envFor(stranger) });
    const end = finished(child);
    await requested(stranger);
    child.kill(signal);
    const run = await end;
    expect(run).toMatchObject({ code: exitCode, signal, stdout: "" });
    expect(JSON.parse(run.stderr).error).toMatchObject({ code: "interrupted", exitCode });
  });

  it.runIf(hasPidNamespaces())("ends the first process of a container, too", async () => {
    const stranger = await startStranger(silence);
    const [command, ...words] = inPidNamespace([process.execPath, script, "list"]);
    const child = spawn(command, words, { env: envFor(stranger) });
    const end = finished(child);
    await requested(stranger);
    const first = readFileSync(childrenOf(child.pid), "utf8");
    process.kill(Number(first), "SIGTERM");
    expect(await end).toMatchObject({ code: 143, stderr: "pets: terminated\n" });
  });

  it("given a second time ends it at once, while a request is in flight", async () => {
    const stranger = await startStranger(silence);
    const file = petsFile(1);
    const child = startPets(["add", "--from", file, "--timeout", "5m"], { env: envFor(stranger) });
    const end = finished(child);
    await requested(stranger);
    const explained = once(child.stderr, "data");
    child.kill("SIGTERM");
    await explained;
    child.kill("SIGTERM");
    const run = await end;
    expect(run).toMatchObject({ code: 143, signal: "SIGTERM" });
    expect(run.stderr).toContain("a second signal stops now");
  });

  it("of a command that `pets serve` runs is its exit code, unless pets got it too", async () => {
    const serve = ["serve", "--memory", "--", "sh", "-c", "exit 130"];
    expect(await runPets(serve)).toMatchObject({ code: 130, signal: null });
  });
});

describe("SIGHUP", () => {
  const commands = [["list"], ["add", "--name", "Rex", "--category", "1"], ["limits", "--refresh"]];
  it.each(commands)("is ignored without a terminal, as nohup asks: pets %s", async (...args) => {
    const service = await startRefusing(1);
    const child = spawn("nohup", [process.execPath, script, ...args], { env: envFor(service) });
    child.stdin.end();
    const end = finished(child);
    await service.came(1);
    child.kill("SIGHUP");
    expect(await end).toMatchObject({ code: 0 });
    expect(service.arrivals).toHaveLength(2);
  });

  it("is ignored by `pets serve` without a terminal", async () => {
    const { child, done } = await serveForPeople(["--memory", "--no-profile"]);
    child.kill("SIGHUP");
    const later = await Promise.race([done, runPets(["--version"])]);
    expect(later.stdout).toMatch(/^\d/);
    child.kill("SIGTERM");
    expect(await done).toMatchObject({ code: 0 });
  });

  it.runIf(ptyAvailable)("ends a command by itself when its terminal is gone", async () => {
    const stranger = await startStranger(silence);
    const pty = await startOnPty([process.execPath, script, "list"], { env: envFor(stranger) });
    await requested(stranger);
    pty.kill("SIGHUP");
    expect((await pty.ended).code).toBe(129);
  });
});
