import { Readable } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod/mini";
import type { LocalStore } from "../../../src/client/local-store.ts";
import type { TypedOptions } from "../../../src/config/settings.ts";
import { Failure, signalFailure } from "../../../src/core/errors.ts";
import { formatTimeOfDay } from "../../../src/core/format.ts";
import type { RequestEntry } from "../../../src/server/request-log/types.ts";
import { widestLine } from "../../support/command/terminal.ts";
import { reply, startStranger } from "../../support/servers/stranger.ts";
import { entryOf, ownHeaders, storeContext } from "./store-context.ts";

const time = formatTimeOfDay(Date.UTC(2026, 10, 22, 10, 0, 0, 42));
const plain = entryOf("s-1");
const odd = entryOf("s-2", { status: null, keyId: null, fault: "reset", path: "/v1/pets/7" });

const third = entryOf("s-3");

/** Returns what opens a store that remembers `entries`, and whose stream of events is `stream`. */
const storeWith = (entries: readonly RequestEntry[], stream: () => Promise<Readable>) => async () =>
  ({
    parse: (text: string, schema: z.ZodMiniType) => z.parse(schema, JSON.parse(text)),
    ask: async (_name: string, schema: z.ZodMiniType) => z.parse(schema, entries),
    stream,
  }) as unknown as LocalStore;

/** Returns what is written for a store that remembers `entries`, and has `later` while it is followed. */
async function formatted(
  globals: TypedOptions,
  follow: boolean,
  entries: readonly RequestEntry[],
  { later = [] as readonly RequestEntry[], columns = undefined as number | undefined } = {},
): Promise<readonly string[]> {
  const events = later.map((entry) => `event: request\ndata: ${JSON.stringify(entry)}\n\n`);
  const localStore = storeWith(entries, async () => Readable.from(events));
  const service = { localStore };
  const { run, stdout } = storeContext("http://127.0.0.1:1/v1", globals, { columns, service });
  await run("requests", ...(follow ? ["--follow"] : []));
  return stdout.writes;
}

/** Returns the words of each line. */
const wordsOf = (text: string): string[][] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => line.trim().split(/ {2,}/));

describe("whole entries", () => {
  it("are one JSON array, indented on a terminal", async () => {
    expect(await formatted({ json: true }, false, [plain, odd])).toEqual([
      `${JSON.stringify([plain, odd])}\n`,
    ]);
    expect(await formatted({ json: true }, false, [plain], { columns: 80 })).toEqual([
      `${JSON.stringify([plain], null, 2)}\n`,
    ]);
    expect(await formatted({ json: true }, false, [])).toEqual(["[]\n"]);
  });

  it.each([
    [{ output: "ndjson" }, false],
    [{ output: "ndjson" }, true],
    [{ json: true }, true],
  ])("are one line each with %j, followed: %s", async (globals, follow) => {
    const more = { later: [third], columns: 80 };
    expect(await formatted(globals, follow, [plain, odd], more)).toEqual([
      `${JSON.stringify(plain)}\n${JSON.stringify(odd)}\n`,
      ...(follow ? [`${JSON.stringify(third)}\n`] : []),
    ]);
  });
});

describe("chosen fields", () => {
  it.each<[TypedOptions, boolean, readonly string[]]>([
    [{ json: true }, false, ['[{"id":"s-1","status":200},{"id":"s-2"}]\n']],
    [{ json: true }, true, ['{"id":"s-1","status":200}\n{"id":"s-2"}\n']],
    [{ output: "csv" }, false, ["id,status\r\ns-1,200\r\ns-2,\r\n"]],
    [{ output: "tsv" }, true, ["id\tstatus\ns-1\t200\ns-2\t\n"]],
  ])("with %j, followed: %s", async (globals, isFollowed, texts) => {
    const chosen = { ...globals, fields: "id,status" };
    expect(await formatted(chosen, isFollowed, [plain, odd])).toEqual(texts);
  });

  it("may be fields that a table does not show by default", async () => {
    const [text = ""] = await formatted({ fields: "id,early,requestBody" }, false, [plain]);
    expect(wordsOf(text)).toEqual([
      ["ID", "EARLY", "SENT"],
      ["s-1", "false"],
    ]);
  });

  it("are rejected before any request if they are unknown", async () => {
    const printed = formatted({ fields: "requestHeaders" }, false, []);
    await expect(printed).rejects.toMatchObject({ kind: "usage" });
  });
});

describe("a table", () => {
  const rows = [
    ["TIME", "STATUS", "METHOD", "MS", "KEY", "FAULT", "PATH"],
    [time, "200", "GET", "1.5", "00ff", "/v1/pets"],
    [time, "none", "GET", "1.5", "reset", "/v1/pets/7"],
  ];

  it("has local times, and `none` for requests without a reply", async () => {
    const [text = ""] = await formatted({}, false, [plain, odd]);
    expect(wordsOf(text)).toEqual(rows);
  });

  it.each([true, false])("says UTC in an unknown time zone, followed: %s", async (isFollowed) => {
    vi.stubEnv("TZ", "Mars/Olympus");
    const texts = await formatted({}, isFollowed, [plain]);
    vi.unstubAllEnvs();
    const [header = "", line = ""] = texts.join("").split("\n");
    expect(line).toMatch(/^\d\d:\d\d:\d\d\.\d{3} UTC  200 /);
    expect(header.indexOf("STATUS")).toBe(line.indexOf("200 "));
  });

  it("that is followed has its header once, and fixed columns", async () => {
    const long = entryOf("s-3", { keyId: "0123456789abcdef" });
    const texts = await formatted({}, true, [plain], { later: [odd, long] });
    expect(wordsOf(texts.join("")).slice(0, 3)).toEqual(rows);
    const lines = texts.join("").trimEnd().split("\n");
    expect(new Set(lines.map((line) => line.search(/PATH|\/v1/))).size).toBe(1);
  });

  it("that is followed cuts a path only on a terminal", async () => {
    const path = `/v1/pets?${"x".repeat(200)}`;
    const entry = entryOf("s-1", { path });
    const [piped = ""] = await formatted({}, true, [entry]);
    const [shown = ""] = await formatted({}, true, [entry], { columns: 80 });
    expect(piped).toContain(`${path}\n`);
    expect(widestLine(shown)).toBeLessThanOrEqual(80);
  });
});

it("followed CSV has its header once, and all fields in order", async () => {
  const texts = await formatted({ output: "csv" }, true, [plain], { later: [odd] });
  expect(texts[0]).toMatch(/^id,time,status,.*\r\ns-1,2026-11-22T10:00:00\.042Z,200,/);
  expect(texts[1]).toMatch(/^s-2,2026-11-22T10:00:00\.042Z,,GET,1\.5,,reset,/);
});

const request = (id: string): string =>
  `event: request\nid: ${id}\ndata: ${JSON.stringify(entryOf(id))}\n\n`;

/** Follows a store that remembers `remembered`, and whose stream has these pieces; returns what was printed. */
async function followed(
  remembered: readonly string[],
  stream: readonly string[] | Failure,
  signal = new AbortController().signal,
) {
  const entries = remembered.map((id) => entryOf(id));
  const localStore = storeWith(entries, async () => {
    if (stream instanceof Failure) throw stream;
    return Readable.from(stream);
  });
  const globals = { output: "csv", fields: "id" };
  const { run, stdout, stderr } = storeContext("http://127.0.0.1:1/v1", globals, {
    runtime: { signal },
    service: { localStore },
  });
  const end: unknown = await run("requests", "--follow").catch((error: unknown) => error);
  return { printed: stdout.text.split("\r\n").slice(1, -1), warned: stderr.text, end };
}

const gap = (missed: number | null): string => `event: gap\ndata: {"missed":${missed}}\n\n`;

describe("--follow", () => {
  it("prints what is remembered, then each as it ends, none twice, until the store stops", async () => {
    const pieces = [
      `:\n\n${request("s-2")}${request("s-3")}`,
      request("s-4").slice(0, 9),
      request("s-4").slice(9),
      `event: reset\ndata: {}\n\n${request("t-1")}`,
    ];
    const { printed, end } = await followed(["s-1", "s-2"], pieces);
    expect(printed).toEqual(["s-1", "s-2", "s-3", "s-4", "t-1"]);
    expect(end).toBe(0);
  });

  it("warns about missed entries", async () => {
    const { warned, printed } = await followed([], [gap(5), request("s-9"), gap(null)]);
    expect(warned).toBe(
      "warning: 5 requests arrived too fast to be printed\nwarning: some requests may be missing\n",
    );
    expect(printed).toEqual(["s-9"]);
  });

  it("fails with the signal that ended the stream, and if there is no stream", async () => {
    const failure = signalFailure("SIGTERM");
    expect((await followed([], [], AbortSignal.abort(failure))).end).toBe(failure);
    const gone = new Failure("unreachable", "nobody is there");
    expect((await followed([], gone)).end).toBe(gone);
  });
});

it("rejects an entry whose time makes no sense", async () => {
  const entry = entryOf("s-1", { time: "soon" });
  const stranger = await startStranger(reply(200, JSON.stringify([entry]), ownHeaders));
  const { run } = storeContext(stranger.baseUrl);
  await expect(run("requests")).rejects.toMatchObject({ kind: "service" });
});
