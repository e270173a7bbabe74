import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { type AccessLogEntry, withAccessLog } from "../../../src/server/http/access-log.ts";
import { notesOf, type RequestNotes } from "../../../src/server/http/request-notes.ts";
import { makeKey } from "../../../src/server/keys.ts";
import { requestMasks } from "../../../src/server/secrets.ts";

const key = makeKey();

/** Logs one request, which `handle` answers before the connection is closed. */
function logged(
  request: { readonly url?: string; readonly authorization?: string; readonly address?: string },
  handle: (notes: RequestNotes) => void,
): readonly AccessLogEntry[] {
  const entries: AccessLogEntry[] = [];
  const { url = "/v1/pets", authorization, address: remoteAddress } = request;
  const rawHeaders = authorization === undefined ? [] : ["Authorization", authorization];
  const incoming = { method: "GET", url, rawHeaders, socket: { remoteAddress } };
  const outgoing = new EventEmitter();
  const log = withAccessLog(
    (entry) => entries.push(entry),
    requestMasks([key]),
    (taken) => handle(notesOf(taken)),
  );
  log(incoming as unknown as IncomingMessage, outgoing as unknown as ServerResponse);
  expect(entries).toEqual([]);
  outgoing.emit("close");
  return entries;
}

const answered = (status: number) => (notes: RequestNotes) =>
  void Object.assign(notes, { reply: { status, headers: {}, body: "" } });

describe("withAccessLog", () => {
  it("reports a request when it is over", () => {
    expect(logged({ address: "::1" }, answered(404))).toEqual([
      {
        address: "::1",
        method: "GET",
        target: "/v1/pets",
        status: 404,
        fault: undefined,
        isPage: false,
        ms: expect.any(Number),
      },
    ]);
  });

  it("reports 0 without a reply, and an empty address if it is not known", () => {
    expect(logged({}, () => {})).toMatchObject([{ address: "", status: 0 }]);
  });

  it.each([
    [true, 200],
    [false, 0],
  ])("reports a fault, with a reply: %s", (hasReply, status) => {
    const entries = logged({}, (notes) => {
      answered(200)(notes);
      Object.assign(notes, { fault: "truncate", isWithheld: !hasReply });
    });
    expect(entries).toMatchObject([{ status, fault: "truncate" }]);
  });

  it.each([
    [
      "a key made here",
      `/v1/pets?k=${key}&l=${key}`,
      "",
      `/v1/pets?k=…${key.slice(-4)}&l=…${key.slice(-4)}`,
    ],
    ["the request's own key", "/v1/my-own", "Bearer my-own", "/v1/…"],
    ["no key", "/v1/pets", "Bearer ", "/v1/pets"],
  ])("masks %s", (_what, url, authorization, target) => {
    expect(logged({ url, authorization }, answered(200))).toMatchObject([{ target }]);
  });
});
