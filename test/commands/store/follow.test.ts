import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import type { LocalStore } from "../../../src/client/local-store.ts";
import { followRequests } from "../../../src/commands/store/follow.ts";
import type { Entry } from "../../../src/commands/store/replies.ts";
import { Failure, signalFailure } from "../../../src/core/errors.ts";
import { entryOf, storeContext } from "./store-context.ts";

const request = (id: string): string =>
  `event: request\nid: ${id}\ndata: ${JSON.stringify(entryOf(id))}\n\n`;
const gap = (missed: number | null): string => `event: gap\ndata: {"missed":${missed}}\n\n`;
const gone = new Failure("unreachable", "nobody is there");

/**
 * Follows a store that remembers `remembered` and has these streams, one after the other, each a
 * list of pieces; a Failure stands for a stream that can't be opened.
 */
async function follow(
  remembered: readonly string[],
  streams: readonly (readonly string[] | Failure)[],
) {
  const { context, stderr } = storeContext("http://127.0.0.1:1/v1");
  const left = [...streams];
  const opened: string[] = [];
  const printed: string[][] = [];
  const store = {
    parse: (text: string) => JSON.parse(text),
    ask: async () => remembered.map((id) => entryOf(id)),
    stream: async (name: string, { headers = {} }: { headers?: Record<string, string> } = {}) => {
      opened.push([name, ...Object.entries(headers).flat()].join(" "));
      const next = left.shift() ?? gone;
      if (next instanceof Failure) throw next;
      return Readable.from(next) as AsyncIterable<string>;
    },
  } as unknown as LocalStore;
  const print = async (entries: readonly Entry[]): Promise<void> => {
    if (entries.length > 0) printed.push(entries.map(({ id }) => id));
  };
  const end = await followRequests(context, store, print).catch((error: unknown) => error);
  return { printed, opened, warned: stderr.text, end };
}

describe("followRequests", () => {
  it("prints what is remembered, then each as it ends, until the store is gone", async () => {
    const pieces = [`:\n\n${request("s-3")}`, request("s-4").slice(0, 9), request("s-4").slice(9)];
    const { printed, end } = await follow(["s-1", "s-2"], [pieces]);
    expect(printed).toEqual([["s-1", "s-2"], ["s-3"], ["s-4"]]);
    expect(end).toBeUndefined();
  });

  it("prints no entry twice that arrived while it requested the remembered ones", async () => {
    const { printed } = await follow(
      ["s-1", "s-2"],
      [[request("s-1"), request("s-2"), request("s-3")]],
    );
    expect(printed).toEqual([["s-1", "s-2"], ["s-3"]]);
  });

  it("resumes after the last printed entry when it is cut off", async () => {
    const { printed, opened } = await follow(["s-1"], [[], [request("s-2")], [request("s-3")]]);
    expect(printed.flat()).toEqual(["s-1", "s-2", "s-3"]);
    expect(opened).toEqual([
      "events",
      "events Last-Event-ID s-1",
      "events Last-Event-ID s-2",
      "events Last-Event-ID s-3",
    ]);
  });

  it("reconnects without a position if nothing was printed yet", async () => {
    expect((await follow([], [[]])).opened).toEqual(["events", "events"]);
  });

  it("warns about missed entries", async () => {
    const { warned, printed } = await follow([], [[gap(5), request("s-9"), gap(null)]]);
    expect(warned).toBe(
      "5 requests arrived too fast to be printed\nsome requests may be missing\n",
    );
    expect(printed).toEqual([["s-9"]]);
  });

  it("ignores other events", async () => {
    const { printed } = await follow([], [["event: reset\ndata: {}\n\n", request("t-1")]]);
    expect(printed).toEqual([["t-1"]]);
  });

  it.each([
    ["a signal", signalFailure("SIGTERM")],
    ["Ctrl-C", signalFailure("SIGINT")],
  ])("fails with %s instead of ending quietly", async (_what, failure) => {
    expect((await follow([], [[], failure])).end).toBe(failure);
  });

  it("fails if the first stream can't be opened", async () => {
    expect((await follow([], [gone])).end).toBe(gone);
  });
});
