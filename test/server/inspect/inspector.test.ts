import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import type { FaultInjector } from "../../../src/server/faults/index.ts";
import { notesOf, type RequestNotes } from "../../../src/server/http/request-notes.ts";
import { type InspectedParts, makeInspector } from "../../../src/server/inspect/inspector.ts";
import { memoryLedger } from "../../../src/server/rate-limits/usage-ledger.ts";
import { memoryStorage } from "../../../src/server/storage/sqlite/index.ts";

const reply = { status: 200, headers: {}, body: "[]" };

/** Returns an inspector, and a function that passes a request with these notes through it. */
function inspect(more: Partial<InspectedParts> = {}) {
  const parts = { storage: memoryStorage(), limits: memoryLedger(), now: () => 1_000, ...more };
  const inspector = makeInspector(parts);
  const pass = (noted: Partial<RequestNotes>, headers = {}): RequestNotes => {
    const incoming = {
      url: "/v1/pets",
      method: "GET",
      rawHeaders: [],
      headers: { host: "127.0.0.1:80", ...headers },
      socket: { remoteAddress: "127.0.0.1", localPort: 80 },
    } as unknown as IncomingMessage;
    const outgoing = new EventEmitter();
    const handler = inspector.wrap(
      (each) => void Object.assign(notesOf(each), { reply, ...noted }),
    );
    handler(incoming, outgoing as ServerResponse);
    outgoing.emit("close");
    return notesOf(incoming);
  };
  return { inspector, pass };
}

describe("requests", () => {
  it("are recorded and counted, with the facts of their notes", () => {
    const { inspector, pass } = inspect();
    pass({ keyId: "a" });
    pass({ keyId: "a", reply: { ...reply, status: 429 }, isEarly: true, bannedUntil: 900_000 });
    pass({ isWithheld: true });
    expect(inspector.log.entries()).toHaveLength(3);
    expect(inspector.counts()).toEqual({ requests: { 0: 1, 200: 1, 429: 1 }, early: 1, bans: 1 });
  });

  it("of the page are recorded, but not counted", () => {
    const { inspector, pass } = inspect({ hasPage: true });
    const access = inspector.sessions?.redeem(inspector.sessions.issueToken());
    const own = { "x-pets-page": access?.secret ?? "", cookie: `pets_page_80=${access?.cookie}` };
    expect(pass({}, own).isPage).toBe(true);
    expect(pass({}, { ...own, cookie: "pets_page_80=x.y" }).isPage).toBe(false);
    expect(inspector.log.entries()).toHaveLength(2);
    expect(inspector.counts().requests).toEqual({ 200: 1 });
  });

  it("are never of a page if there is none", () => {
    const { inspector } = inspect();
    expect(inspector.sessions).toBeUndefined();
  });

  it("have higher numbers than any of an earlier run", () => {
    const started = Date.now();
    const { inspector, pass } = inspect();
    pass({});
    const [, number] = inspector.log.entries()[0]?.id.split("-") ?? [];
    expect(Number(number)).toBeGreaterThanOrEqual(started * 1_000);
  });
});

describe("with faults", () => {
  it("includes the counts, and a reset forgets the requests", async () => {
    const counts = { requests: { 500: 9 }, early: 0, bans: 0 };
    let resets = 0;
    const faults = {
      counts: () => counts,
      reset: async () => void (resets += 1),
    } as unknown as FaultInjector;
    const { inspector, pass } = inspect({ faults });
    pass({});
    expect(inspector.counts()).toBe(counts);
    await inspector.reset();
    expect([resets, inspector.log.entries()]).toEqual([1, []]);
  });
});

describe("streams", () => {
  it("end with the store, each once; one that ended before is forgotten", () => {
    const { inspector } = inspect();
    const ended: string[] = [];
    inspector.trackStream(() => ended.push("one"));
    const forget = inspector.trackStream(() => ended.push("two"));
    forget();
    inspector.dispose();
    expect(ended).toEqual(["one"]);
  });

  it("that begin while the store stops are ended at once", () => {
    const { inspector } = inspect();
    inspector.dispose();
    let ended = 0;
    inspector.trackStream(() => (ended += 1));
    expect(ended).toBe(1);
  });
});
