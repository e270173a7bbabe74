import net from "node:net";
import { describe, expect, it } from "vitest";
import { Failure } from "../../../src/core/errors.ts";
import type { Limiter } from "../../../src/rate-limiter/types.ts";
import { type Answer, connect, failureOf, listen, rex, rexPet, serve } from "../support/service.ts";

const newPet = { name: "Rex", categoryId: 2n };
const refused = [429, "", { "retry-after": "1" }] as const;

describe("many requests of one client", () => {
  it("try a refused key no more often than one request would", async () => {
    await using service = await serve(refused);
    const { api } = connect(service.baseUrl);
    expect(await failureOf(api.add(newPet))).toMatchObject({ kind: "rate_limited" });
    expect(service.requests).toHaveLength(3);
    expect(await failureOf(api.add(newPet))).toMatchObject({ kind: "rate_limited" });
    expect(service.requests).toHaveLength(4);
  });

  it("continue when one of them succeeds", async () => {
    const ok = [201, rex] as const;
    await using service = await serve(refused, refused, ok, refused, refused, ok);
    const { api } = connect(service.baseUrl);
    for (let i = 0; i < 2; i += 1) await api.add(newPet);
    expect(service.requests).toHaveLength(6);
  });
});

/** Returns a reply that announces a window of an hour. */
const announced = (limit: number, remaining: number) => {
  const names = { "x-ratelimit-limit": limit, "x-ratelimit-remaining": remaining };
  return [200, [], { ...names, "x-ratelimit-reset": 3600 }] as const;
};

describe("a limit of 0", () => {
  it("holds up no later request, nor hides the window of a day", async () => {
    await using service = await serve(announced(0, 0), announced(1000, 7), announced(0, 0));
    const { api, limiter } = connect(service.baseUrl, { maxWaitMs: 0 });
    for (let i = 0; i < 3; i += 1) await api.list({});
    expect(service.requests).toHaveLength(3);
    expect(limiter.status()).toMatchObject({ limit: 1000, remaining: 7 });
    expect(limiter.status()).not.toHaveProperty("condition");
  });
});

/** Returns a limiter that never denies, and may replace one of several machines. */
const willing = (isFallback: boolean): Limiter => ({
  tryAcquire: () => ({ go: true, id: "permit" }),
  peek: () => ({ go: true, probe: false }),
  revalidate: () => true,
  end: () => {},
  complete: () => {},
  consecutiveRefusals: 0,
  backoffMs: 0,
  shareFairly: () => {},
  status: () => ({ now: 0 }),
  isFallback,
  sync: async () => undefined,
  close: async () => {},
});

it("does not wait a moment with a --max-wait of 0", async () => {
  await using service = await serve([200, "[]"]);
  const limiter: Limiter = {
    ...willing(false),
    tryAcquire: () => ({ go: false, reason: "blocked", status: 429, ms: 1 }),
  };
  const { api, waits } = connect(service.baseUrl, { limiter, maxWaitMs: 0 });
  expect(await failureOf(api.list({}))).toMatchObject({ kind: "rate_limited" });
  expect([waits, service.requests]).toEqual([[], []]);
});

describe("a permit", () => {
  const limits = { "x-ratelimit-limit": "60", "x-ratelimit-remaining": "3" };
  const seven = { status: 429, waitMs: 7000 };
  it.each<[string, Answer, unknown]>([
    ["a reply", [200, [], limits], { status: 200, limit: 60, remaining: 3 }],
    ["a refused key, without its limits", [401, "", limits], { status: 401 }],
    ["a refusal, with its delay", [429, "", { "retry-after": "7" }], seven],
    ["no reply", (response) => void response.destroy(), "lost"],
    ["no connection", [500], "release"],
  ])("ends with %s", async (what, answer, call) => {
    await using service = await serve(answer);
    if (what === "no connection") await service[Symbol.asyncDispose]();
    const calls: unknown[] = [];
    const end = (_id: string, how: unknown) => void calls.push(how);
    const limiter: Limiter = { ...willing(false), end, complete: end };
    await connect(service.baseUrl, { limiter, maxWaitMs: 0 })
      .api.list({})
      .catch(() => {});
    expect(calls).toEqual([call]);
  });
});

describe("refusals while the limiter of several machines is unreachable", () => {
  const many = Array.from({ length: 7 }, () => refused);

  it.each<[string, boolean, number, unknown, number]>([
    ["don't count as attempts of a request", true, 75_000, rexPet, 8],
    ["count towards --max-wait", true, 5000, "rate_limited", 4],
    ["count as usual otherwise", false, 75_000, "rate_limited", 3],
  ])("%s", async (_what, isFallback, maxWaitMs, end, sends) => {
    await using service = await serve(...many, [201, rex]);
    const { api } = connect(service.baseUrl, { limiter: willing(isFallback), maxWaitMs });
    const ended = await api.add(newPet).catch((error: Failure) => error.kind);
    expect([ended, service.requests.length]).toEqual([end, sends]);
  });
});

describe("the events of a request", () => {
  it("report each send with its reply and the limits, a deprecation, and never the key", async () => {
    const deprecated = { deprecation: "@1764892800", sunset: "Thu, 05 Dec 2030 00:00:00 GMT" };
    const limits = { "x-ratelimit-limit": "60", "x-ratelimit-remaining": "59" };
    await using service = await serve([500, "", limits], [200, rex, deprecated]);
    const { api, events, waits } = connect(service.baseUrl);
    await api.get(1n);
    const url = `${service.baseUrl.href}/pets/1`;
    expect(events).toEqual([
      { type: "request", method: "GET", url, attempt: 1 },
      { type: "reply", status: 500, ms: expect.any(Number), limits: { limit: 60, remaining: 59 } },
      { type: "waiting", wait: waits[0] },
      { type: "waited", wait: waits[0] },
      { type: "request", method: "GET", url, attempt: 2 },
      { type: "reply", status: 200, ms: expect.any(Number), limits: {} },
      {
        type: "deprecation",
        notice: { Deprecation: deprecated.deprecation, Sunset: deprecated.sunset },
      },
    ]);
    expect(waits).toMatchObject([
      { what: "the service responded with 500 Internal Server Error", ms: 375 },
    ]);
  });

  it("report the limits and the deprecation of a reply with a broken body", async () => {
    const headers = { "x-ratelimit-remaining": "3", sunset: "soon" };
    await using service = await serve([200, Uint8Array.of(0xff), headers]);
    const { api, events } = connect(service.baseUrl);
    await failureOf(api.list({}));
    expect(events.slice(1)).toEqual([
      { type: "reply", status: 200, ms: expect.any(Number), limits: { remaining: 3 } },
      { type: "deprecation", notice: { Sunset: "soon" } },
      {
        type: "failure",
        what: expect.stringContaining("cannot be decoded"),
        ms: expect.any(Number),
      },
    ]);
  });

  it("and of its observer report a send that is deferred at the last moment and made later", async () => {
    await using service = await serve([201, rex]);
    const events: string[] = [];
    const { calls, observer } = noting(service);
    const { api, limiter, waits } = connect(service.baseUrl, {
      onEvent(event) {
        events.push(event.type === "failure" ? event.what : event.type);
        const other = events.length === 1 ? limiter.tryAcquire(1000) : undefined;
        // Another request is refused while this one connects.
        if (other?.go) limiter.complete(other.id, { status: 429, waitMs: 2000 });
      },
    });
    expect(await api.add(newPet, observer)).toEqual(rexPet);
    const keptBack = expect.stringMatching(
      /was not asked: another process hit a rate limit meanwhile$/,
    );
    expect(events).toEqual(["request", keptBack, "waiting", "waited", "request", "reply"]);
    expect(calls).toEqual(["send 0", "refused 0", "again 0", "send 0"]);
    expect(waits).toMatchObject([{ isForLimiter: true }]);
    expect(service.requests).toHaveLength(1);
  });
});

describe("the waits of a request", () => {
  it.each([
    [201, 3000],
    [429, 2500],
    [429, 0],
  ])("end with %i if the service asks for 3 s and %i ms are allowed", async (status, maxWaitMs) => {
    await using service = await serve([429, "", { "retry-after": "3" }], [201, rex]);
    const { api, waits } = connect(service.baseUrl, { maxWaitMs });
    const end = await api.add(newPet).then(
      () => 201,
      (failure: unknown) => (failure instanceof Failure ? failure.facts.status : failure),
    );
    expect(end).toBe(status);
    const sum = waits.reduce((total, { ms }) => total + ms, 0);
    expect(sum).toBeLessThanOrEqual(maxWaitMs + 20);
  });

  it("share --max-wait, and report the end of one that does not fit", async () => {
    await using service = await serve([429, "", { "retry-after": "40" }]);
    const { api, waits, clock } = connect(service.baseUrl, { isStill: true });
    const start = clock.now();
    const failure = await failureOf(api.add(newPet));
    expect(waits.map(({ ms }) => ms)).toEqual([42_010]);
    expect(failure).toMatchObject({ kind: "rate_limited", code: "rate_limited" });
    const retryAt = start + 42_010 + 40_010;
    expect(failure.facts).toMatchObject({ attempts: 2, retryable: true, status: 429, retryAt });
    expect(failure.hints.join(" ")).toMatch(/Try again at \d\d:\d\d\S*, .*--max-wait/);
  });

  it("come with no advice to wait longer once no retries are left", async () => {
    await using service = await serve(refused);
    const failure = await failureOf(connect(service.baseUrl).api.list({}));
    expect(failure).toMatchObject({ kind: "rate_limited", facts: { attempts: 3 } });
    expect(failure.hints[0]).toMatch(/^Try again at \d\d:\d\d(?::\d\d)?\.$/);
  });

  it("start at zero for each request", async () => {
    await using service = await serve([429], [201, rex], [429], [201, rex]);
    const { api, waits } = connect(service.baseUrl, { maxWaitMs: 2000, isStill: true });
    await api.add(newPet);
    await api.add(newPet);
    expect(waits.map(({ ms }) => ms)).toEqual([1510, 1510]);
  });

  it("pass on an error of the wait itself", async () => {
    await using service = await serve([429]);
    const fault = new Error("a fault");
    const sleep = () => Promise.reject(fault);
    const clock = { now: () => 0, monotonic: () => 0, sleep };
    const { api } = connect(service.baseUrl, { clock });
    await expect(api.list({})).rejects.toBe(fault);
  });
});

describe("a request that is cancelled before it is sent", () => {
  it.each(["list", "add"] as const)("counts no attempt, and is in no doubt: %s", async (method) => {
    const [wait, send] = [new AbortController(), new AbortController()];
    // It never completes the handshake.
    const server = net.createServer(() => wait.abort(new Failure("interrupted", "interrupted")));
    await using service = await listen(server, "https:");
    const { api } = connect(service.baseUrl, { signal: wait.signal, sendSignal: send.signal });
    const failure = await failureOf(method === "add" ? api.add(newPet) : api.list({}));
    expect(failure).toMatchObject({ kind: "interrupted", message: "interrupted" });
    expect(failure.facts.attempts).toBeUndefined();
  });
});

/** Returns an observer that records its calls, and how many requests the service had received by then. */
function noting(service: { readonly requests: readonly unknown[] }, calls: string[] = []) {
  const note = (what: string) => () => void calls.push(`${what} ${service.requests.length}`);
  const onRetry = async (): Promise<void> => note("again")();
  return { calls, observer: { onSend: note("send"), onRefused: note("refused"), onRetry } };
}

describe("the observer of a request", () => {
  const sentTwice = ["send 0", "refused 1", "again 1", "send 1"];
  const unsent = ["send 0", "refused 0"];
  const again = ["again 0", ...unsent];
  it.each<[string, readonly Answer[], end: string, readonly string[]]>([
    ["each send, and each refused one", [refused, [201, rex]], "added", sentTwice],
    ["no refusal if the service may have acted", [[500]], "outcome_unknown", ["send 0"]],
    ["no send without a connection", [], "unreachable", [...unsent, ...again, ...again, ...again]],
  ])("is called for %s", async (_what, answers, end, expected) => {
    await using service = await serve(...answers);
    if (answers.length === 0) await service[Symbol.asyncDispose]();
    const { calls, observer } = noting(service);
    const added = connect(service.baseUrl).api.add(newPet, observer);
    expect(
      await added.then(
        () => "added",
        (failure: Failure) => failure.kind,
      ),
    ).toBe(end);
    expect(calls).toEqual(expected);
  });

  it("can prevent a send, which frees the permit", async () => {
    await using service = await serve([201, rex]);
    const { api, limiter } = connect(service.baseUrl);
    const error = new Failure("io", "the journal cannot be written");
    const onSend = () => {
      throw error;
    };
    await expect(api.add(newPet, { onSend, onRefused: () => {} })).rejects.toBe(error);
    expect(service.requests).toEqual([]);
    const permits = Array.from({ length: 5 }, () => limiter.tryAcquire(1000).go);
    expect(permits).toEqual([true, true, true, true, true]);
  });
});

describe("a run that is stopped", () => {
  const interrupted = new Failure("interrupted", "interrupted");

  it("lets requests in flight finish, and sends no more", async () => {
    const stop = new AbortController();
    await using service = await serve((response) => {
      stop.abort(interrupted);
      response.writeHead(201).end(JSON.stringify(rex));
    });
    const sendSignal = new AbortController().signal;
    const { api } = connect(service.baseUrl, { signal: stop.signal, sendSignal });
    expect(await api.add(newPet)).toEqual(rexPet);
    const { kind, message } = interrupted;
    expect(await failureOf(api.add(newPet))).toMatchObject({ kind, message });
    expect(service.requests).toHaveLength(1);
  });

  it("does not send a request that was still connecting", async () => {
    await using service = await serve([201, rex]);
    const stop = new AbortController();
    const { calls, observer } = noting(service);
    const { api } = connect(service.baseUrl, {
      signal: stop.signal,
      sendSignal: new AbortController().signal,
      onEvent: ({ type }) => type === "request" && stop.abort(interrupted),
    });
    expect(await failureOf(api.add(newPet, observer))).toMatchObject({ message: "interrupted" });
    expect(service.requests).toEqual([]);
    expect(calls).toEqual(["send 0", "refused 0"]);
  });

  it("aborts requests in flight when asked to, with their outcome unknown", async () => {
    const leave = new AbortController();
    const stop = new AbortController();
    await using service = await serve(() => {
      stop.abort(interrupted);
      leave.abort();
    });
    const { api } = connect(service.baseUrl, { signal: stop.signal, sendSignal: leave.signal });
    const failure = await failureOf(api.add(newPet));
    expect(failure.message).toBe("interrupted; the animal may or may not have been added");
  });
});
