import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { StreamSink } from "../../../src/server/api/response.ts";
import {
  heartbeatMs,
  maxPendingBytes,
  RequestStream,
} from "../../../src/server/request-log/event-stream.ts";
import { RequestLog } from "../../../src/server/request-log/request-log.ts";
import { requestRates } from "../../../src/server/request-log/request-rates.ts";
import { sseParser } from "../../../src/server/request-log/sse.ts";
import { requestMasks } from "../../../src/server/secrets.ts";
import { factsOf } from "../../support/servers/facts.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** How a stream is opened, and what the log has before that. */
interface StreamSetting {
  readonly isPage?: boolean;
  readonly before?: number;
  /** Whether its reader reads nothing. */
  readonly isStuck?: boolean;
}

/** The facts of a request whose entry is over 4 kB long. */
const longFacts = { ...factsOf("/v1/long"), responseBody: "x".repeat(4_096) };

/** A stream of a log, and what was written to it. */
function openStream(
  lastEventId?: string,
  { isPage = false, before = 0, isStuck = false }: StreamSetting = {},
) {
  const log = new RequestLog(() => "s", 1, requestMasks([]).maskOf);
  for (let count = 0; count < before; count += 1)
    log.add(isStuck ? longFacts : factsOf(`/v1/old${count}`));
  const stream = { text: "", pending: 0, closed: 0, drain: () => {} };
  const rates = requestRates();
  const sink = {
    write: (text: string) => {
      stream.text += text;
      if (isStuck) stream.pending += text.length;
    },
    get writableLength() {
      return stream.pending;
    },
    once: (_event: "drain", listener: () => void) => void (stream.drain = listener),
    destroy: () => void (stream.closed += 1),
  } as unknown as StreamSink;
  const reader = new RequestStream({ log, rates }, sink, { lastEventId, isPage });
  const events = () => sseParser()(stream.text).map(({ event, id }) => `${event} ${id}`.trim());
  const add = (count: number): void => {
    for (let each = 0; each < count; each += 1) log.add(factsOf("/v1/new"));
  };
  return { log, rates, stream, events, add, end: () => reader.end() };
}

describe("the stream of requests", () => {
  it("has only new entries, in order, a moment later", () => {
    const { stream, events, add } = openStream(undefined, { before: 2 });
    expect(stream.text).toBe(":\n\n");
    add(2);
    vi.advanceTimersByTime(100);
    expect(events()).toEqual(["request s-3", "request s-4"]);
    expect(sseParser()(stream.text)[0]?.data).toMatch(/^\{"id":"s-3",/);
  });

  it.each([
    ["resumes after an entry that it knows", "s-2", ["request s-3", "request s-4"]],
    ["has nothing to add behind the last", "s-4", []],
    ["has a gap and all behind one of another store", "t-2", ["gap", "request s-1"]],
    ["has a gap and all behind one of an earlier run", "s-99", ["gap", "request s-1"]],
  ])("%s", (_what, lastEventId, expected) => {
    const { events } = openStream(lastEventId, { before: 4 });
    expect(events().slice(0, 2)).toEqual(expected);
  });

  it("says how many entries were missed if more than 1,000 were", () => {
    const { stream, add, events } = openStream();
    add(1_005);
    vi.advanceTimersByTime(100);
    expect(events().slice(0, 2)).toEqual(["gap", "request s-6"]);
    expect(stream.text).toContain('data: {"missed":5}');
  });

  it("sends a comment every 15 s", () => {
    const { stream } = openStream();
    vi.advanceTimersByTime(2 * heartbeatMs);
    expect(stream.text).toBe(":\n\n".repeat(3));
  });

  it("is cut off if its reader is 1 MB behind", () => {
    const { stream, add } = openStream();
    stream.pending = maxPendingBytes + 1;
    add(1);
    vi.advanceTimersByTime(100);
    expect(stream.closed).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("sends what is remembered in steps, each when the one before was received", () => {
    const { stream, events, add } = openStream("t-1", { before: 1_000, isStuck: true });
    let most = 0;
    for (let step = 0; events().length < 1_001 && step < 1_000; step += 1) {
      most = Math.max(most, stream.pending);
      stream.pending = 0;
      stream.drain();
      if (step === 3) add(1);
    }
    expect(most).toBeLessThan(maxPendingBytes / 10);
    expect(events().at(-1)).toBe("request s-1001");
    expect(stream.closed).toBe(0);
  });

  it("reports a reset, and continues with new entries", () => {
    const { log, events, add } = openStream();
    add(1);
    log.clear();
    add(1);
    vi.advanceTimersByTime(100);
    expect(events()).toEqual(["reset", "request s-2"]);
  });

  it("sends the page what is remembered as rows, and how many requests ended", () => {
    const { stream, rates, add } = openStream(undefined, { isPage: true, before: 2 });
    const parse = sseParser();
    const [first, second, counts] = parse(stream.text);
    expect(JSON.parse(first?.data ?? "")).toMatchObject({ id: "s-1", path: "/v1/old0" });
    expect(first?.data).not.toContain("requestHeaders");
    expect([second?.id, counts?.event]).toEqual(["s-2", "rates"]);
    const start = stream.text.length;
    rates.count("ok");
    const countedAt = Math.floor(Date.now() / 1000);
    add(1);
    vi.advanceTimersByTime(100);
    const events = parse(stream.text.slice(start));
    expect(events.map(({ event }) => event)).toEqual(["request", "rates"]);
    expect(JSON.parse(events[1]?.data ?? "").seconds).toEqual([[countedAt, { ok: 1 }]]);
  });

  it("announces changes to pages, and only to them", () => {
    const [page, other] = [openStream(undefined, { isPage: true }), openStream()];
    for (const { log } of [page, other]) log.announce("faults", { fault: "500:1" });
    expect(page.stream.text).toContain('event: faults\ndata: {"fault":"500:1"}\n\n');
    expect(other.stream.text).toBe(":\n\n");
  });

  it("sends a page at most 1,000 rows a second, and the rest as a gap", () => {
    const { events, add } = openStream(undefined, { isPage: true });
    for (let tenth = 0; tenth < 20; tenth += 1) {
      add(500);
      vi.advanceTimersByTime(100);
    }
    expect(events().filter((event) => event.startsWith("request")).length).toBeLessThan(3_200);
    expect(events()).toContain("gap");
  });

  it("ends when it is closed", () => {
    const { stream, end, add } = openStream();
    end();
    add(1);
    vi.advanceTimersByTime(2 * heartbeatMs);
    expect(stream).toMatchObject({ text: ":\n\n", closed: 1 });
  });
});
