import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { type EndedRequest, factsOf } from "../../../src/server/judge/facts.ts";
import { startJudging } from "../../../src/server/judge/judge.ts";
import type { Refusal } from "../../../src/server/rate-limits/limits.ts";
import { endedRequest, sentOf } from "../../support/servers/exchange.ts";
import { namesIn, startFaultyStore } from "../../support/servers/faulty-store.ts";
import { sendRaw } from "../../support/servers/raw.ts";
import { head, openClient, post, rex } from "../../support/servers/wire.ts";

type Described = Parameters<typeof endedRequest>[0];
const known = (described: Described): EndedRequest => factsOf(endedRequest(described));

const refusal = (code: Refusal["code"], until: number): Refusal => ({
  allowed: false,
  window: { limit: 1, remaining: 0, resetAt: until },
  code,
  until,
});

const waitOf = (until: number, elapsedUntil: number, isBan: boolean, isForced: boolean) => ({
  until,
  elapsedUntil,
  isBan,
  isForced,
});

describe("the facts of a request", () => {
  it("are its key, its times and the animal that it added", () => {
    const pet = { name: "Rex", categoryId: 1n, status: "sold" } as const;
    const added = { id: 7n, pet };
    const told = { key: "key", keyId: "00ff", target: "/v1/pets?x", at: { real: 1 }, added };
    expect(known({ ...told, sent: sentOf(201, "", {}, { real: 3 }) })).toEqual({
      key: "00ff",
      method: "GET",
      target: "/v1/pets?x",
      connection: 1,
      arrivedAt: 1,
      arrivedAtStore: 1_000,
      arrivedElapsed: 1_000,
      endedAt: 3,
      status: 201,
      isEarly: false,
      isComplete: true,
      hasLeft: false,
      wait: undefined,
      added,
    });
  });

  const seven = sentOf(429, "", { "Retry-After": "7" }, { store: 2_000, elapsed: 0 });
  const date = sentOf(429, "", { "Retry-After": "Thu, 01 Jan 1970 00:01:00 GMT" }, { elapsed: 0 });
  it.each<[string, Described, EndedRequest["wait"]]>([
    [
      "of the limit",
      { sent: seven, refusal: refusal("rate_limited", 8_000) },
      waitOf(8_000, 6_000, false, false),
    ],
    [
      "of a ban",
      { sent: seven, refusal: refusal("key_banned", 9_000) },
      waitOf(9_000, 7_000, true, false),
    ],
    ["that was forced", { sent: seven }, waitOf(9_000, 7_000, false, true)],
    ["that ends at a date", { sent: date }, waitOf(60_000, 59_000, false, true)],
    ["of a 429 that announces none", { sent: sentOf(429) }, undefined],
    ["of another response", { sent: sentOf(200) }, undefined],
  ])("have the wait %s", (_what, described, wait) => {
    expect(known(described).wait).toEqual(wait);
  });

  it.each([
    ["with a fault", { fault: { wire: "reset" as const } }, false, 9],
    ["because the client left", { leftAt: 5 }, true, 5],
    [
      "because the client left before its fault",
      { leftAt: 5, fault: { wire: "reset" as const, delayMs: 8 } },
      true,
      5,
    ],
  ])("have a loss %s", (_what, described, hasLeft, endedAt) => {
    const lost = { isComplete: false, hasLeft, endedAt, status: undefined };
    expect(known({ isComplete: false, endedAt: 9, ...described })).toMatchObject(lost);
  });
});

it.each([{ target: "/healthz" }, { target: "/_store/state" }, { isPage: true }])(
  "a judge takes nothing of %j",
  (described) => {
    const judge = startJudging();
    judge.takeEnded(endedRequest(described));
    expect(judge.counts().requests).toEqual({});
  },
);

/** Starts a store; returns what is known of the requests that ended. */
async function startKnown() {
  const ends: EndedRequest[] = [];
  const options = {
    listener: (ended: ReturnType<typeof endedRequest>) => void ends.push(factsOf(ended)),
  };
  return { store: await startFaultyStore({ options }), ends };
}

describe("in a store", () => {
  it("an animal is known that is stored although its client has left", async () => {
    const { store, ends } = await startKnown();
    const { socket } = await openClient(store);
    const told = [`Content-Length: ${rex.length}`, "X-Pets-Fault: hang"];
    socket.write(post(store, ...told) + rex);
    await expect.poll(() => namesIn(store)).toEqual(["Rex"]);
    socket.destroy();
    const added = { pet: { name: "Rex" } };
    await expect
      .poll(() => ends.filter(({ method }) => method === "POST"))
      .toMatchObject([{ isComplete: false, hasLeft: true, added }]);
  });

  it("a response is taken back that its client left unread", async () => {
    const store = await startFaultyStore();
    const client = connect(store.port, "127.0.0.1").on("error", () => {});
    client.write(head(store, "GET /v1/pets"));
    const answered = { requests: { 200: 1 }, abandoned: 0 };
    await expect.poll(() => store.verdict("start")).toMatchObject(answered);
    client.resetAndDestroy();
    await expect.poll(() => store.verdict("start").abandoned).toBe(1);
  });

  it("requests on one connection have one number", async () => {
    const { store, ends } = await startKnown();
    await sendRaw(store.port, [head(store, "GET /v1/pets").repeat(2)], { expected: 2 });
    await expect.poll(() => ends).toHaveLength(2);
    expect(ends[0]?.connection).toBe(ends[1]?.connection);
  });
});
