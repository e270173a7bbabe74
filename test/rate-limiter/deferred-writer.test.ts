import { describe, expect, it } from "vitest";
import { DeferredWriter } from "../../src/rate-limiter/deferred-writer.ts";
import { FallbackLog, inMemoryLog } from "../../src/rate-limiter/log/event-log.ts";
import type { LogRecord } from "../../src/rate-limiter/rules/records.ts";
import { lost, release, reserve, stamp } from "./support/records.ts";

const now = () => stamp(1000);
const isRelease = ({ kind }: { kind: string }) => kind === "release";

/** Returns a writer at uptime 1000, the records of each of its appends, and the end of the turn. */
function setUp() {
  const appends: LogRecord[][] = [];
  const steps: (() => void)[] = [];
  const log = new FallbackLog({
    openLog: () => {
      const inner = inMemoryLog(now);
      return { ...inner, append: (...records) => void appends.push([...records]) };
    },
    now,
    onDegraded: (what) => {
      throw new Error(what);
    },
  });
  const writer = new DeferredWriter({ log, now, schedule: (step) => void steps.push(step) });
  const kinds = () => appends.map((records) => records.map(({ event }) => event.kind).join(" "));
  const endTurn = (): void => steps.splice(0).forEach((step) => step());
  return { writer, appends, kinds, endTurn, steps };
}

describe("DeferredWriter", () => {
  it("writes deferred events with the next one, before it", () => {
    const { writer, kinds } = setUp();
    writer.defer(release("a"));
    writer.defer(lost("b"));
    writer.withFlushedLog(() => {});
    writer.defer(release("c"));
    writer.withFlushedLog((log) => writer.write(log, reserve("d")));
    expect(kinds()).toEqual(["release lost", "release", "reserve"]);
  });

  it("appends deferred events and the next one in one write", () => {
    const { writer, kinds } = setUp();
    let open: Parameters<typeof writer.write>[0] | undefined;
    writer.withFlushedLog((log) => (open = log));
    writer.defer(release("a"));
    if (open !== undefined) writer.write(open, reserve("b"));
    expect(kinds()).toEqual(["release reserve"]);
  });

  it("writes deferred events at the end of the turn, once", () => {
    const { writer, kinds, endTurn, steps } = setUp();
    writer.defer(release("a"));
    writer.defer(release("b"));
    expect(steps).toHaveLength(1);
    endTurn();
    endTurn();
    expect(kinds()).toEqual(["release release"]);
    writer.defer(release("c"));
    expect(steps).toHaveLength(1);
  });

  it("never writes a removed event", () => {
    const { writer, kinds, endTurn } = setUp();
    writer.defer(release("a"));
    writer.defer(release("b"));
    expect(writer.popPending()).toEqual(release("b"));
    endTurn();
    expect(kinds()).toEqual(["release"]);
    expect(writer.popPending()).toBeUndefined();
  });

  it("knows whether all deferred events meet a predicate", () => {
    const { writer } = setUp();
    expect(writer.everyPending(isRelease)).toBe(false);
    writer.defer(release("a"));
    expect(writer.everyPending(isRelease)).toBe(true);
    writer.defer(lost("b"));
    expect(writer.everyPending(isRelease)).toBe(false);
  });

  it("records a time that no reader sees as earlier than it was", () => {
    const { writer, appends, endTurn } = setUp();
    writer.defer(release("a"));
    endTurn();
    expect(appends[0]?.[0]?.stamp).toEqual({ ...stamp(1000), uptime: 1010 });
  });
});
