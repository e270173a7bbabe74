import { describe, expect, it } from "vitest";
import { handleSignals, type ImportJob } from "../../../src/commands/add-from/job.ts";
import { signalFailure } from "../../../src/core/errors.ts";
import { RunAbort } from "../../../src/imports/run/import-run.ts";
import type { TerminationSignal } from "../../../src/platform/io.ts";
import { fakeClock } from "../../support/command/terminal.ts";

const never = new AbortController().signal;

function setUp({ earlier = never } = {}) {
  const clock = fakeClock();
  const notes: string[] = [];
  const exits: TerminationSignal[] = [];
  const listeners = new Set<(signal: TerminationSignal) => void>();
  const context = {
    clock,
    signal: earlier,
    note: async (text: string) => void notes.push(text),
    exitNow: (signal: TerminationSignal) => void exits.push(signal),
    interceptSignals(listener: (signal: TerminationSignal) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const abort = new RunAbort();
  const steps: (() => void)[] = [];
  const onClose = (step: () => void): void => void steps.push(step);
  handleSignals({ context, abort, isSending: true, onClose } as unknown as ImportJob);
  const send = (signal: TerminationSignal) => listeners.forEach((listener) => listener(signal));
  return { clock, notes, exits, listeners, abort, release: () => steps.pop()?.(), send };
}

describe("handleSignals", () => {
  it.each([
    ["SIGINT", /Ctrl-C again/],
    ["SIGTERM", /a second signal/],
    ["SIGHUP", /a second signal/],
  ] as const)("stops the run at %s, and explains it when that takes long", async (signal, text) => {
    const { clock, notes, abort, send } = setUp();
    send(signal);
    expect(abort.reason?.error).toEqual(signalFailure(signal));
    expect(abort.sendSignal.aborted).toBe(false);
    await clock.sleep(200, never);
    expect(notes).toEqual([]);
    await clock.sleep(200, never);
    expect(notes).toEqual([expect.stringMatching(text)]);
  });

  it("abandons the run at the second signal, and exits soon after", async () => {
    const { clock, notes, exits, abort, send } = setUp();
    send("SIGINT");
    send("SIGTERM");
    expect(abort.sendSignal.aborted).toBe(true);
    await clock.sleep(900, never);
    expect([notes, exits]).toEqual([[], []]);
    await clock.sleep(200, never);
    expect(exits).toEqual(["SIGTERM"]);
  });

  it("handles a signal that arrived before", () => {
    const failure = signalFailure("SIGINT");
    const { abort } = setUp({ earlier: AbortSignal.abort(failure) });
    expect(abort.reason?.error).toBe(failure);
  });

  it("restores the earlier handling when the job is closed", () => {
    const { release, send, listeners } = setUp();
    send("SIGINT");
    release();
    expect(listeners.size).toBe(0);
  });
});
