import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { heartbeatMs, pageEvents, requestEvents } from "../../../src/server/request-log/events.ts";
import { RequestLog } from "../../../src/server/request-log/request-log.ts";
import { sseParser } from "../../../src/server/request-log/sse.ts";
import { endedRequest, sentOf } from "../../support/servers/exchange.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** How a stream is opened, and what the log has before that. */
interface StreamSetting {
  readonly lastEventId?: string;
  readonly isPage?: boolean;
  readonly before?: number;
  /** Whether its reader reads only when told to. */
  readonly isSlow?: boolean;
}

/** Opens a stream of a log; returns also what its reader has received. */
async function open({ lastEventId, isPage = false, before = 0, isSlow }: StreamSetting = {}) {
  const log = new RequestLog(() => "s", 1);
  const add = (count: number, path = "new"): void => {
    for (let each = 0; each < count; each += 1)
      log.take(endedRequest({ target: `/v1/${path}`, sent: sentOf(200, "x".repeat(4_096)) }));
  };
  add(before, "old");
  const closed = new AbortController();
  const source = (isPage ? pageEvents : requestEvents)(log, lastEventId, closed.signal);
  const seen = { chunks: [] as string[], isOver: false };
  const readOne = async (): Promise<void> => {
    const { value, done } = await source.next();
    if (done === true) seen.isOver = true;
    else seen.chunks.push(value);
  };
  const readAll = async (): Promise<void> => {
    while (!seen.isOver) await readOne();
  };
  if (isSlow !== true) void readAll();
  await pass(0);
  const text = (): string => seen.chunks.join("");
  const events = () => sseParser()(text()).map(({ event, id }) => `${event} ${id}`.trim());
  return { log, add, seen, readOne, readAll, text, events, close: () => closed.abort() };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe("the stream of requests", () => {
  it("has only new entries, in order, a moment later", async () => {
    const { text, events, add } = await open({ before: 2 });
    expect(text()).toBe(":\n\n");
    add(2);
    await pass(100);
    expect(events()).toEqual(["request s-3", "request s-4"]);
    expect(sseParser()(text())[0]?.data).toMatch(/^\{"id":"s-3",/);
  });

  it.each([
    ["resumes after an entry that it knows", "s-2", ["request s-3", "request s-4"]],
    ["has nothing to add behind the last", "s-4", []],
    ["has a gap and all behind one of another store", "t-2", ["gap", "request s-1"]],
    ["has a gap and all behind one of an earlier run", "s-99", ["gap", "request s-1"]],
  ])("%s", async (_what, lastEventId, expected) => {
    const { events } = await open({ lastEventId, before: 4 });
    expect(events().slice(0, 2)).toEqual(expected);
  });

  it("says how many entries were missed if more than 1,000 were", async () => {
    const { add, events, text } = await open();
    add(1_005);
    await pass(100);
    expect(events().slice(0, 2)).toEqual(["gap", "request s-6"]);
    expect(text()).toContain('data: {"missed":5}');
  });

  it("sends a comment every 15 s", async () => {
    const { text } = await open();
    await pass(2 * heartbeatMs);
    expect(text()).toBe(":\n\n".repeat(3));
  });

  it("holds little for a reader that is too slow, who gets a gap", async () => {
    const { add, readOne, readAll, seen, events } = await open({
      lastEventId: "s-0",
      isSlow: true,
    });
    await readOne();
    add(1_000);
    const second = readOne();
    await pass(100);
    await second;
    add(2_000);
    void readAll();
    await pass(1_000);
    expect(Math.max(...seen.chunks.map(({ length }) => length))).toBeLessThan(500_000);
    const [first, ...others] = events();
    expect(first).toBe("gap");
    expect(others.filter((event) => event === "gap")).toHaveLength(1);
    expect(others.at(-1)).toBe("request s-3000");
  });

  it("reports a reset, and continues with new entries", async () => {
    const { log, events, add, text } = await open();
    add(1);
    log.clear();
    add(1);
    await pass(100);
    expect(events()).toEqual(["reset", "request s-2"]);
    expect(text()).toContain('data: {"store":"s"}');
  });

  it("sends the page what is remembered as rows, and how many requests ended", async () => {
    const { text, add } = await open({ isPage: true, before: 2 });
    const parse = sseParser();
    const [first, second, counts] = parse(text());
    expect(JSON.parse(first?.data ?? "")).toMatchObject({ id: "s-1", path: "/v1/old" });
    expect(first?.data).not.toContain("requestHeaders");
    expect([second?.id, counts?.event]).toEqual(["s-2", "rates"]);
    const start = text().length;
    add(1);
    await pass(400);
    const events = parse(text().slice(start));
    expect(events.map(({ event }) => event)).toEqual(["request", "rates"]);
    expect(JSON.parse(events[1]?.data ?? "").seconds).toMatchObject([[expect.any(Number), {}]]);
  });

  it("announces changes to pages, and only to them", async () => {
    const [page, other] = [await open({ isPage: true }), await open()];
    for (const { log } of [page, other]) log.announce("faults", { fault: "500:1" });
    await pass(100);
    expect(page.text()).toContain('event: faults\ndata: {"fault":"500:1"}\n\n');
    expect(other.text()).not.toContain("faults");
  });

  it("sends a page at most 1,000 rows a second, and the rest as a gap", async () => {
    const { events, add } = await open({ isPage: true });
    for (let tenth = 0; tenth < 20; tenth += 1) {
      add(500);
      await pass(100);
    }
    expect(events().filter((event) => event.startsWith("request")).length).toBeLessThan(3_200);
    expect(events()).toContain("gap");
  });

  it("ends when its reader has left", async () => {
    const { seen, close, text } = await open();
    close();
    await pass(0);
    expect([seen.isOver, text(), vi.getTimerCount()]).toEqual([true, ":\n\n", 0]);
  });
});
