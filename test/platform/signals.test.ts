import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { installSignalHandlers, type SignalSource } from "../../src/platform/signals.ts";

function fakeSource() {
  const emitter = new EventEmitter();
  const exits: number[] = [];
  const source: SignalSource = {
    on: (name, listener) => emitter.on(name, listener),
    off: (name, listener) => emitter.off(name, listener),
    exit: (code) => exits.push(code),
  };
  return { source, exits, send: (name: string) => emitter.emit(name, name) };
}

it.each([
  ["SIGINT", "interrupted", 130],
  ["SIGTERM", "terminated", 143],
])("%s aborts the first time, and exits at once the second time", (name, kind, code) => {
  const { source, exits, send } = fakeSource();
  const { signal } = installSignalHandlers(source);
  send(name);
  expect(signal.reason).toMatchObject({ kind, exitCode: code });
  expect(exits).toEqual([]);
  send(name);
  expect(exits).toEqual([code]);
});

it("a command that intercepts the signals gets all of them, until it releases them", () => {
  const { source, send } = fakeSource();
  const { signal, interceptSignals } = installSignalHandlers(source);
  const taken: string[] = [];
  const giveBack = interceptSignals((name) => taken.push(name));
  send("SIGHUP");
  send("SIGINT");
  send("SIGINT");
  expect(taken).toEqual(["SIGHUP", "SIGINT", "SIGINT"]);
  expect(signal.aborted).toBe(false);
  giveBack();
  expect(send("SIGHUP")).toBe(false);
  send("SIGTERM");
  expect(signal.aborted).toBe(true);
});

it("a command that intercepts the other signals gets them, and nothing else happens", () => {
  const { source, send } = fakeSource();
  const { signal, interceptForwarded } = installSignalHandlers(source);
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
