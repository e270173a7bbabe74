import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { signalFailure } from "../../src/core/errors.ts";
import { runKeyCommand, type KeyCommandOptions } from "../../src/platform/key-command.ts";
import { makeMachine } from "../../src/platform/machine.ts";
import { temporaryFolder } from "../support/program/program.ts";

const options: KeyCommandOptions = {
  platform: process.platform,
  kill: (pid, signal) => process.kill(pid, signal),
  stdinIsTTY: false,
  signal: new AbortController().signal,
};

const interrupted = signalFailure("SIGINT");

/** Returns a command that prints nothing, leaves a child running, and writes the ids of both to `file`. */
const hanging = (file: string): string =>
  `trap "" TERM; sleep 60 & echo "$! $$" > '${file}.next'; mv '${file}.next' '${file}'; wait; sleep 60`;

async function pidsIn(file: string): Promise<readonly number[]> {
  while (!existsSync(file)) await delay(5);
  return readFileSync(file, "utf8").trim().split(" ").map(Number);
}

const machine = makeMachine(process, () => 0);
const isRunning = (pid: number): boolean => machine.isAlive(pid);

describe("runKeyCommand", () => {
  it.each([
    ["echo key-1", "key-1"],
    ["printf key-1", "key-1"],
    ["printf 'key-1\\r\\nkey-2\\n'", "key-1"],
    ["cat; echo key-1", "key-1"],
    ["echo key-1; sleep 2 >/dev/null &", "key-1"],
    ["sleep 2 & echo key-1", "key-1"],
    ["echo key-1; yes | head -c 300000", "key-1"],
  ])("returns the first line of %s: %s", async (command, key) => {
    expect(await runKeyCommand(command, options)).toBe(key);
  });

  it.each([
    ["echo secret; exit 3", /^the key command "echo secret; exit 3" failed with exit code 3$/],
    ["true", /printed no key \(exit code 0\)$/],
    ["echo; echo secret", /printed no key/],
    ["echo a secret", /not a key: it contains white space/],
    ["printf 'clé'", /not a key/],
    ["kill -9 $$", /was killed by SIGKILL$/],
    ["exec /no/such/program 2>/dev/null", /failed with exit code 12[67]$/],
  ])("fails %s with exit 4, without its output", async (command, message) => {
    const failure: unknown = await runKeyCommand(command, options).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      kind: "auth",
      code: "no_api_key",
      message: expect.stringMatching(message),
    });
    const { message: text } = failure as Error;
    expect(text.replace(JSON.stringify(command), "")).not.toContain("secret");
  });

  it.runIf(process.platform === "linux")("ends all its processes after the time-out", async () => {
    const file = path.join(temporaryFolder(), "pids");
    const run = runKeyCommand(hanging(file), { ...options, timeoutMs: 3000 });
    await expect(run).rejects.toMatchObject({
      kind: "auth",
      message: expect.stringMatching(/did not finish within 60 s$/),
    });
    await expect.poll(async () => (await pidsIn(file)).filter(isRunning)).toEqual([]);
  });

  it.runIf(process.platform === "linux")("ends all its processes on a signal", async () => {
    const file = path.join(temporaryFolder(), "pids");
    const controller = new AbortController();
    const run = runKeyCommand(hanging(file), { ...options, signal: controller.signal });
    await pidsIn(file);
    controller.abort(interrupted);
    await expect(run).rejects.toBe(interrupted);
    await expect.poll(async () => (await pidsIn(file)).filter(isRunning)).toEqual([]);
  });

  it.each(["kill -INT $$", "kill -TERM $$", "exit 130"])(
    "rejects with the signal's reason after %s if this process gets the signal too",
    async (command) => {
      const controller = new AbortController();
      const { signal } = controller;
      const run = runKeyCommand(`sleep 0.05; ${command}`, { ...options, signal });
      // As on Ctrl-C, if the command's end is noticed before the signal.
      setTimeout(() => controller.abort(interrupted), 150);
      await expect(run).rejects.toBe(interrupted);
    },
  );
});
