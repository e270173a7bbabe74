import { describe, expect, it } from "vitest";
import { Gate, type GateOptions } from "../../src/gate/gate.ts";
import { type GateLog, memoryLog } from "../../src/gate/log.ts";
import type { GateEvent } from "../../src/gate/records.ts";
import type { Stamp } from "../../src/gate/stamp.ts";
import { emptyState, type GateState } from "../../src/gate/state.ts";
import { noon } from "./support/files.ts";
import { record, refused, startedAt } from "./support/records.ts";

const pid = 7;

/** A gate at noon, of a machine on which only the processes `alive` run. */
function makeGate(options: Partial<GateOptions> & { readonly alive?: readonly number[] }) {
  const troubles: string[] = [];
  const alive = options.alive ?? [pid];
  const gate = new Gate({
    openLog: memoryLog,
    clock: { now: () => startedAt + noon },
    machine: {
      pid,
      isAlive: (other) => alive.includes(other),
      uptime: () => noon,
      boot: () => "boot",
    },
    random: Math.random,
    onTrouble: (what) => troubles.push(what),
    ...options,
  });
  return { gate, troubles };
}

/** A log on `state` that fails from its n-th record on. */
const failing =
  (n: number, state: GateState) =>
  (now: () => Stamp): GateLog => {
    const log = memoryLog(now, state);
    let written = 0;
    return {
      ...log,
      append(one) {
        written += 1;
        if (written >= n) throw new Error("the disk is full");
        log.append(one);
      },
    };
  };

/** A log that begins with these events, a second before noon. */
const after =
  (...events: readonly GateEvent[]) =>
  (now: () => Stamp): GateLog => {
    const log = memoryLog(now);
    for (const event of events) log.append(record([noon - 1000, event]));
    return log;
  };

const open = (id: string, by: number): GateEvent => ({
  kind: "probe",
  id,
  pid: by,
  lifeMs: 35_000,
});

describe("a gate", () => {
  it.each([
    ["another that runs", 8, false],
    ["another that is gone", 9, true],
    ["one that is gone and had the same id as this", pid, true],
  ])("is held up by the open place of %s: %i", (_what, by, goes) => {
    const openLog = after(refused("x", 500), open("other", by));
    const { gate } = makeGate({ openLog, alive: [pid, 8] });
    expect(gate.ask(30_000).go).toBe(goes);
  });

  it("is held up by its own open places, until they are given back", () => {
    const { gate } = makeGate({ openLog: after(refused("x", 500)) });
    const first = gate.ask(30_000);
    expect(gate.ask(30_000)).toMatchObject({ go: false, why: "probing" });
    gate.release(first.go ? first.id : "");
    expect(gate.ask(30_000).go).toBe(true);
  });

  it.each([1, 2, 3, 4])(
    "goes on alone, by the same rules, where the state fails at record %i",
    (n) => {
      const state = emptyState();
      const { gate, troubles } = makeGate({ openLog: failing(n, state) });
      const first = gate.ask(30_000);
      if (first.go) gate.reply(first.id, { status: 429, limits: {}, waitMs: 5000 });
      const second = gate.ask(30_000);
      expect([first.go, second]).toEqual([
        true,
        { go: false, why: "blocked", status: 429, ms: expect.any(Number) },
      ]);
      expect(troubles).toEqual(n <= 2 ? ["the disk is full"] : []);
    },
  );

  it("is not held up by the place that it had asked for when the state failed", () => {
    const { gate, troubles } = makeGate({
      openLog: (now) => {
        const log = after(refused("x", 500))(now);
        return {
          ...log,
          append(one) {
            log.append(one);
            throw new Error("the disk is full");
          },
        };
      },
    });
    expect(gate.ask(30_000).go).toBe(true);
    expect(gate.ask(30_000)).toMatchObject({ go: false, why: "probing" });
    expect(troubles).toEqual(["the disk is full"]);
  });

  it("gives each place an id, whatever the random numbers are", () => {
    for (const number of [0, 0.5, 1 - 2 ** -53, Math.random()]) {
      const answer = makeGate({ random: () => number }).gate.ask(30_000);
      expect(answer).toEqual({ go: true, id: expect.stringMatching(/^[0-9a-z]{10}$/) });
    }
  });

  it("is alone where there is no state, and says so once", () => {
    const { gate, troubles } = makeGate({
      openLog: () => {
        throw new Error("no home");
      },
    });
    const answers = [1, 2, 3, 4, 5, 6].map(() => gate.ask(30_000));
    expect(answers.map(({ go }) => go)).toEqual([true, true, true, true, true, false]);
    expect(answers.at(-1)).toMatchObject({ why: "learning" });
    expect(troubles).toEqual(["no home"]);
  });
});
