import { describe, expect, it } from "vitest";
import { InFlight, SerialQueue } from "../../../src/client/retry/shared-queue.ts";

describe("SerialQueue", () => {
  it("runs one step after the other, even after a failed one", async () => {
    const queue = new SerialQueue();
    const done: string[] = [];
    const enter = (name: string, fails = false) =>
      queue.run(async () => {
        done.push(`${name} in`);
        await new Promise(setImmediate);
        done.push(`${name} out`);
        if (fails) throw new Error(name);
        return name;
      });
    const all = [enter("a"), enter("b", true), enter("c")];
    expect(queue.isEmpty).toBe(false);
    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect(done).toEqual(["a in", "a out", "b in", "b out", "c in", "c out"]);
    expect(queue.isEmpty).toBe(true);
  });
});

describe("InFlight", () => {
  it("counts requests in flight, and signals the next completion to all waiters", async () => {
    const inFlight = new InFlight();
    inFlight.add();
    inFlight.add();
    expect(inFlight.count).toBe(2);
    const announced = Promise.all([inFlight.nextCompletion(), inFlight.nextCompletion()]);
    inFlight.remove();
    await announced;
    expect(inFlight.count).toBe(1);
    const next = inFlight.nextCompletion();
    inFlight.remove();
    await next;
    expect(inFlight.count).toBe(0);
  });
});
