import { describe, expect, it } from "vitest";
import { Turns } from "../../../src/imports/run/turns.ts";
import { fakeClock } from "../../support/command/terminal.ts";
import { turn } from "../support/run.ts";

const never = new AbortController().signal;

function turnsWith(clock = fakeClock(), isBackoffAnnounced = () => false) {
  const wait = (ms: number) => clock.sleep(ms, never);
  return { clock, turns: new Turns({ clock, random: () => 0, wait, isBackoffAnnounced }) };
}

describe("Turns", () => {
  it("are given at once while nothing is wrong", async () => {
    const { turns, clock } = turnsWith();
    for (let i = 0; i < 10; i += 1) await turns.next();
    expect(clock.sleeps).toEqual([]);
  });

  it("wait after trouble, and are given one by one in the order of the requests", async () => {
    const { turns, clock } = turnsWith();
    (await turns.next()).end(true);
    const given: number[] = [];
    const [first, second, third] = [1, 2, 3].map(async (number) => {
      const end = await turns.next();
      given.push(number);
      return end;
    });
    const end = await first;
    await turn();
    expect(given).toEqual([1]);
    expect(clock.monotonic()).toBe(500);
    end?.end(false);
    await Promise.all([second, third]);
    expect(given).toEqual([1, 2, 3]);
    expect(clock.sleeps).toEqual([500, 50]);
  });

  it("do not wait themselves if the service has announced how long nobody may send", async () => {
    const { turns, clock } = turnsWith(fakeClock(), () => true);
    (await turns.next()).end(true);
    await turns.next();
    expect(clock.sleeps).toEqual([]);
  });

  it("are refused once waiting is no longer possible", async () => {
    const clock = fakeClock();
    const turns = new Turns({
      clock,
      random: () => 0,
      wait: () => Promise.reject(new Error("stopped")),
      isBackoffAnnounced: () => false,
    });
    (await turns.next()).end(true);
    await expect(turns.next()).rejects.toThrow("stopped");
    await expect(turns.next()).rejects.toThrow("stopped");
  });
});
