import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import type { EndedExchange } from "../../../src/server/http/exchange.ts";
import type { EndedRequest } from "../../../src/server/judge/facts.ts";
import { judgeExchange } from "../../../src/server/judge/judge.ts";
import type { Refusal } from "../../../src/server/rate-limits/limits.ts";
import { endedExchange, sentOf } from "../../support/servers/exchange.ts";
import { namesIn, startFaultyStore } from "../../support/servers/faulty-store.ts";
import { sendRaw } from "../../support/servers/raw.ts";
import { head, openClient, post, rex } from "../../support/servers/wire.ts";

const judgeWith = (take: (request: EndedRequest) => void) => ({
  compares: true,
  count: () => {},
  take,
});

/** Starts a store whose requests are judged; returns those that ended. */
async function startJudged() {
  const ends: EndedRequest[] = [];
  const take = (request: EndedRequest): void => void ends.push(request);
  const listener = (exchange: EndedExchange): void => judgeExchange(judgeWith(take), exchange);
  return { store: await startFaultyStore({ options: { listener } }), ends };
}

/** Returns what the judge gets of an exchange. */
function factsOf(described: Parameters<typeof endedExchange>[0]): readonly EndedRequest[] {
  const ends: EndedRequest[] = [];
  judgeExchange(
    judgeWith((request) => void ends.push(request)),
    endedExchange(described),
  );
  return ends;
}

const refusal = (code: Refusal["code"], until: number): Refusal => ({
  allowed: false,
  window: { limit: 1, remaining: 0, resetAt: until },
  code,
  until,
});

describe("judgeExchange", () => {
  it("reports a request with its key, its times and the animal that it added", () => {
    const pet = { name: "Rex", categoryId: 1n, status: "sold" } as const;
    const added = { id: 7n, pet };
    const told = { key: "key", keyId: "00ff", target: "/v1/pets?x", arrivedAt: 1, added };
    expect(factsOf({ ...told, sent: sentOf(201, "", {}, 3) })).toEqual([
      {
        key: "00ff",
        method: "GET",
        target: "/v1/pets?x",
        connection: 1,
        arrivedAt: 1,
        arrivedAtStore: 1_000,
        endedAt: 3,
        status: 201,
        isEarly: false,
        isComplete: true,
        hasLeft: false,
        wait: undefined,
        added,
      },
    ]);
  });

  const seven = sentOf(429, "", { "Retry-After": "7" }, 0, 2_000);
  const date = sentOf(429, "", { "Retry-After": "Thu, 01 Jan 1970 00:01:00 GMT" });
  it.each([
    ["of the limit", { sent: seven, refusal: refusal("rate_limited", 8_000) }, 8_000, false, false],
    ["of a ban", { sent: seven, refusal: refusal("key_banned", 9_000) }, 9_000, true, false],
    ["that was forced", { sent: seven }, 9_000, false, true],
    ["that ends at a date", { sent: date }, 60_000, false, true],
  ])("reports a wait %s", (_what, described, until, isBan, isForced) => {
    expect(factsOf(described)).toMatchObject([{ wait: { until, isBan, isForced } }]);
  });

  it("reports no wait where a 429 announces none, or nothing was refused", () => {
    expect(factsOf({ sent: sentOf(429) })[0]?.wait).toBeUndefined();
    expect(factsOf({ sent: sentOf(200) })[0]?.wait).toBeUndefined();
  });

  it.each([
    ["with a fault", { fault: { wire: "reset" as const } }, false, 9],
    ["because the client left", { leftAt: 5 }, true, 5],
  ])("reports a loss %s", (_what, described, hasLeft, endedAt) => {
    const lost = { isComplete: false, hasLeft, endedAt, status: undefined };
    expect(factsOf({ isComplete: false, endedAt: 9, ...described })).toMatchObject([lost]);
  });

  it.each([{ target: "/healthz" }, { target: "/_store/state" }, { isPage: true }])(
    "reports nothing of %j",
    (described) => {
      expect(factsOf(described)).toEqual([]);
    },
  );
});

describe("in a store", () => {
  it("an animal is reported that is stored although its client has left", async () => {
    const { store, ends } = await startJudged();
    const { socket } = await openClient(store);
    const told = [`Content-Length: ${rex.length}`, "X-Pets-Fault: hang"];
    socket.write(post(store, ...told) + rex);
    await expect.poll(() => namesIn(store)).toEqual(["Rex"]);
    socket.destroy();
    await expect.poll(() => ends.filter(({ method }) => method === "POST")).toHaveLength(1);
    expect(ends.find(({ method }) => method === "POST")).toMatchObject({
      isComplete: false,
      hasLeft: true,
      added: { pet: { name: "Rex" } },
    });
  });

  it("a response is taken back that its client left unread", async () => {
    const { store, ends } = await startJudged();
    const client = connect(store.port, "127.0.0.1").on("error", () => {});
    client.write(head(store, "GET /v1/pets"));
    await expect.poll(() => ends).toMatchObject([{ isComplete: true }]);
    client.resetAndDestroy();
    const left = { status: 200, isComplete: false, hasLeft: true };
    await expect.poll(() => ends).toMatchObject([left]);
  });

  it("requests on one connection have one number", async () => {
    const { store, ends } = await startJudged();
    await sendRaw(store.port, [head(store, "GET /v1/pets").repeat(2)], { expected: 2 });
    await expect.poll(() => ends).toHaveLength(2);
    expect(ends[0]?.connection).toBe(ends[1]?.connection);
  });
});
