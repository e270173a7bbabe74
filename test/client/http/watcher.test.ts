import { describe, expect, it } from "vitest";
import { Failure } from "../../../src/core/errors.ts";
import { connect, failureOf, rex, rexPet, serve } from "../support/service.ts";

const newPet = { name: "Rex", categoryId: 2n };

/** A watcher that notes what it is told of, and how many requests the service had seen by then. */
function noting(service: { readonly requests: readonly unknown[] }, told: string[] = []) {
  const note = (what: string) => () => void told.push(`${what} ${service.requests.length}`);
  return { told, watcher: { onSend: note("send"), onRefused: note("refused") } };
}

describe("who follows the sends of a request", () => {
  it("is told of each before it leaves, and of each that was refused", async () => {
    await using service = await serve([429, "", { "retry-after": "1" }], [201, rex]);
    const { told, watcher } = noting(service);
    expect(await connect(service.baseUrl).api.add(newPet, watcher)).toEqual(rexPet);
    expect(told).toEqual(["send 0", "refused 1", "send 1"]);
  });

  it("is not told that one was refused that may have been done", async () => {
    await using service = await serve([500]);
    const { told, watcher } = noting(service);
    const failure = await failureOf(connect(service.baseUrl).api.add(newPet, watcher));
    expect(failure.kind).toBe("outcome_unknown");
    expect(told).toEqual(["send 0"]);
  });

  it("is told that one was kept back where another was told to wait while it took its time", async () => {
    await using service = await serve([201, rex]);
    const { api, limiter, waits } = connect(service.baseUrl);
    const { told, watcher } = noting(service);
    const other = limiter.tryAcquire(1000);
    const takeTime = (): void => {
      if (told.length > 0 || !other.go) return;
      limiter.complete(other.id, { status: 429, limits: {}, waitMs: 300 });
      for (const end = performance.now() + 3; performance.now() < end;);
    };
    const onSend = (): void => {
      takeTime();
      watcher.onSend();
    };
    expect(await api.add(newPet, { ...watcher, onSend })).toEqual(rexPet);
    expect(told).toEqual(["send 0", "refused 0", "send 0"]);
    expect(waits.map(({ reason }) => reason)).toEqual(["limiter"]);
    expect(service.requests).toHaveLength(1);
  });

  it("hears nothing where there is no connection", async () => {
    const service = await serve([201, rex]);
    await service[Symbol.asyncDispose]();
    const { told, watcher } = noting(service);
    const failure = await failureOf(connect(service.baseUrl).api.add(newPet, watcher));
    expect(failure.kind).toBe("unreachable");
    expect(told).toEqual([]);
  });

  it("can keep one back, and its place at the gate is free again", async () => {
    await using service = await serve([201, rex]);
    const { api, limiter } = connect(service.baseUrl);
    const error = new Failure("io", "the journal can't be written");
    const onSend = () => {
      throw error;
    };
    await expect(api.add(newPet, { onSend, onRefused: () => {} })).rejects.toBe(error);
    expect(service.requests).toEqual([]);
    const places = Array.from({ length: 5 }, () => limiter.tryAcquire(1000).go);
    expect(places).toEqual([true, true, true, true, true]);
  });
});

describe("a run that is to end", () => {
  it("lets what is on its way finish, and nothing more be sent", async () => {
    const stop = new AbortController();
    await using service = await serve((response) => {
      stop.abort(new Failure("interrupted", "interrupted"));
      response.writeHead(201).end(JSON.stringify(rex));
    });
    const sendSignal = new AbortController().signal;
    const { api } = connect(service.baseUrl, { signal: stop.signal, sendSignal });
    expect(await api.add(newPet)).toEqual(rexPet);
    expect(await failureOf(api.add(newPet))).toMatchObject({
      kind: "interrupted",
      message: "interrupted",
    });
    expect(service.requests).toHaveLength(1);
  });

  it("sends nothing where it was still connecting", async () => {
    await using service = await serve([201, rex]);
    const stop = new AbortController();
    const { told, watcher } = noting(service);
    const { api } = connect(service.baseUrl, {
      signal: stop.signal,
      sendSignal: new AbortController().signal,
      onEvent: ({ type }) => {
        if (type === "request") stop.abort(new Failure("interrupted", "interrupted"));
      },
    });
    expect(await failureOf(api.add(newPet, watcher))).toMatchObject({ message: "interrupted" });
    expect(service.requests).toEqual([]);
    expect(told).toEqual([]);
  });

  it("leaves at once when it is told so, in doubt about what was on its way", async () => {
    const leave = new AbortController();
    const stop = new AbortController();
    await using service = await serve(() => {
      stop.abort(new Failure("interrupted", "interrupted"));
      leave.abort();
    });
    const { api } = connect(service.baseUrl, { signal: stop.signal, sendSignal: leave.signal });
    const failure = await failureOf(api.add(newPet));
    expect(failure.message).toBe(
      "interrupted while adding: the animal may or may not have been added",
    );
  });
});
