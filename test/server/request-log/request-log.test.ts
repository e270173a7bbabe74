import { array, assert, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { RequestLog, maxEntries } from "../../../src/server/request-log/request-log.ts";
import { requestMasks } from "../../../src/server/secrets.ts";
import { factsOf } from "../../support/servers/facts.ts";

const pathsOf = (entries: readonly { readonly json: () => string }[]): string[] =>
  entries.map(({ json }) => JSON.parse(json()).path);

describe("the request log", () => {
  it("keeps the last 1,000 entries, oldest first, with ascending ids", () => {
    const log = new RequestLog(() => "abc", 7, requestMasks([]).maskOf);
    for (let count = 0; count < maxEntries + 3; count += 1) log.add(factsOf(`/v1/${count}`));
    const entries = log.entries();
    expect(entries).toHaveLength(maxEntries);
    expect(pathsOf(entries).at(0)).toBe("/v1/3");
    expect(entries.at(0)?.id).toBe("abc-10");
    expect(entries.at(-1)?.id).toBe("abc-1009");
    expect(JSON.parse(entries.at(-1)?.json() ?? "")).toMatchObject({ id: "abc-1009" });
  });

  it("gives each reader each entry once, or says how many it missed", () => {
    assert(
      property(array(integer({ min: 0, max: 1_500 }), { maxLength: 8 }), (bursts) => {
        const log = new RequestLog(() => "s", 1, requestMasks([]).maskOf);
        let { next: position } = log.bounds();
        let sent = 0;
        let seen = 0;
        for (const burst of bursts) {
          for (let count = 0; count < burst; count += 1) log.add(factsOf(`/v1/${sent++}`));
          const { entries, missed, next } = log.readFrom(position);
          expect(missed).toBe(Math.max(0, burst - maxEntries));
          expect(pathsOf(entries)[0]).toBe(
            entries.length === 0 ? undefined : `/v1/${seen + missed}`,
          );
          seen += entries.length + missed;
          position = next;
          expect(seen).toBe(sent);
        }
      }),
      { numRuns: 20 },
    );
  });

  it("shows nothing of the texts of an entry that cannot be masked", () => {
    const log = new RequestLog(
      () => "s",
      1,
      () => () => {
        throw new RangeError("cannot be masked");
      },
    );
    log.add(factsOf("/v1/secret"));
    const [entry] = log.entries();
    expect(JSON.parse(entry?.json() ?? "")).toMatchObject({ id: "s-1", path: "…" });
    expect(JSON.parse(entry?.row() ?? "")).toMatchObject({ id: "s-1", path: "…" });
  });

  it.each([
    ["an entry of it", "s-5", 6],
    ["one that was forgotten", "s-5", 6],
    ["one still to come", "s-9", undefined],
    ["one of an earlier run", "s-4", undefined],
    ["one of another store", "other-5", undefined],
    ["something else", "s-5x", undefined],
    ["nothing", "", undefined],
  ])("resumes after %s", (_what, id, expected) => {
    const log = new RequestLog(() => "s", 5, requestMasks([]).maskOf);
    log.add(factsOf("/v1/a"));
    log.add(factsOf("/v1/b"));
    expect(log.positionAfter(id)).toBe(expected);
  });

  it("forgets everything at a reset, reports it, and never repeats an id", () => {
    let store = "one";
    const log = new RequestLog(() => store, 1, requestMasks([]).maskOf);
    const events: string[] = [];
    const stop = log.subscribe((event) => events.push(event));
    log.add(factsOf("/v1/a"));
    store = "two";
    log.clear();
    log.add(factsOf("/v1/b"));
    stop();
    log.add(factsOf("/v1/c"));
    expect(events).toEqual(["entry", "reset", "entry"]);
    expect(log.entries().map(({ id }) => id)).toEqual(["two-2", "two-3"]);
  });
});
