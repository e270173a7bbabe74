import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { installSignalHandlers } from "../../src/platform/signals.ts";

function installed({ hasTerminal = true } = {}) {
  const emitter = new EventEmitter();
  const ends: string[] = [];
  const handlers = installSignalHandlers(emitter, (signal) => ends.push(signal), hasTerminal);
  return { ...handlers, ends, send: (name: string) => emitter.emit(name, name) };
}

it.each([
  ["SIGINT", "interrupted", 130],
  ["SIGTERM", "terminated", 143],
  ["SIGHUP", "hung up", 129],
])("%s aborts the first time, and ends by it the second time", (name, message, exitCode) => {
  const { signal, ends, send } = installed();
  send(name);
  expect(signal.reason).toMatchObject({ message, exitCode, code: "interrupted" });
  expect(ends).toEqual([]);
  send(name);
  expect(ends).toEqual([name]);
});

it("SIGHUP is left alone without a terminal, by a command that intercepts signals too", () => {
  const { signal, ends, send, interceptSignals } = installed({ hasTerminal: false });
  for (let times = 0; times < 2; times += 1) expect(send("SIGHUP")).toBe(false);
  const taken: string[] = [];
  interceptSignals((name) => taken.push(name));
  send("SIGHUP");
  send("SIGTERM");
  expect([taken, ends, signal.aborted]).toEqual([["SIGTERM"], [], false]);
});

it("a command that intercepts the signals gets all of them, until it releases them", () => {
  const { signal, interceptSignals, send } = installed();
  const taken: string[] = [];
  const giveBack = interceptSignals((name) => taken.push(name));
  send("SIGHUP");
  send("SIGINT");
  send("SIGINT");
  expect(taken).toEqual(["SIGHUP", "SIGINT", "SIGINT"]);
  expect(signal.aborted).toBe(false);
  giveBack();
  send("SIGTERM");
  expect(signal.aborted).toBe(true);
});

it("a command that intercepts the other signals gets them, and nothing else happens", () => {
  const { signal, interceptForwarded, send } = installed();
  const taken: string[] = [];
  expect(send("SIGUSR1")).toBe(false);
  const giveBack = interceptForwarded((name) => taken.push(name));
  for (const name of ["SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGCONT", "SIGWINCH"])
    send(name);
  expect(taken).toEqual(["SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGCONT", "SIGWINCH"]);
  expect(signal.aborted).toBe(false);
  giveBack();
  expect(send("SIGUSR1")).toBe(false);
});
