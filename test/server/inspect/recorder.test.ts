import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { notesOf, type RequestNotes } from "../../../src/server/http/request-notes.ts";
import { withRecorder } from "../../../src/server/inspect/recorder.ts";
import type { RequestFacts } from "../../../src/server/inspect/request-entry.ts";

const reply = { status: 201, headers: { "Content-Type": "application/json" }, body: '{"id":1}' };

/** Handles a request with these notes; returns what was recorded before and after its end. */
function record(url: string, method: string, noted: Partial<RequestNotes>) {
  const recorded: { facts: RequestFacts; notes: RequestNotes }[] = [];
  const handled: IncomingMessage[] = [];
  const handler = (incoming: IncomingMessage): void => {
    handled.push(incoming);
    Object.assign(notesOf(incoming), noted);
  };
  const take = (facts: RequestFacts, notes: RequestNotes): void =>
    void recorded.push({ facts, notes });
  const incoming = {
    url,
    method,
    rawHeaders: ["Host", "localhost"],
    socket: { remoteAddress: "127.0.0.1" },
  } as unknown as IncomingMessage;
  const outgoing = new EventEmitter();
  withRecorder(() => 1_000, take, handler)(incoming, outgoing as ServerResponse);
  const early = recorded.length;
  outgoing.emit("close");
  return { early, recorded, handled };
}

describe("withRecorder", () => {
  it("records a request when it has ended, not before", () => {
    const { early, recorded, handled } = record("/v1/pets?limit=1", "POST", {
      keyId: "00ff",
      isEarly: true,
      fault: "500",
      body: Buffer.from("{}"),
      reply,
    });
    expect([early, recorded.length, handled.length]).toEqual([0, 1, 1]);
    expect(recorded[0]?.facts).toEqual({
      time: 1_000,
      remoteAddress: "127.0.0.1",
      keyId: "00ff",
      method: "POST",
      path: "/v1/pets?limit=1",
      status: 201,
      durationMs: expect.any(Number),
      fault: "500",
      early: true,
      requestHeaders: ["Host", "localhost"],
      requestBody: Buffer.from("{}"),
      responseHeaders: reply.headers,
      responseBody: reply.body,
    });
    expect(recorded[0]?.notes.keyId).toBe("00ff");
  });

  it.each(["/", "/healthz", "/_store/state", "/v10/pets", ""])("records nothing of %j", (url) => {
    const { recorded, handled } = record(url, "GET", { reply });
    expect([recorded.length, handled.length]).toEqual([0, 1]);
  });

  it.each<[string, string, Partial<RequestNotes>, Partial<RequestFacts>]>([
    [
      "without a reply",
      "GET",
      {},
      { status: undefined, responseHeaders: {}, responseBody: undefined },
    ],
    [
      "whose reply a fault withholds",
      "GET",
      { reply, isWithheld: true },
      { status: undefined, responseBody: undefined },
    ],
    ["that is a HEAD", "HEAD", { reply }, { status: 201, responseBody: undefined }],
    ["of the page", "GET", { reply, isPage: true, keyId: "00ff" }, { keyId: "page" }],
    ["without a key", "GET", { reply }, { keyId: undefined }],
  ])("knows one %s", (_what, method, noted, facts) => {
    expect(record("/v1/pets", method, noted).recorded[0]?.facts).toMatchObject(facts);
  });
});
