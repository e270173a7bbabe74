import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { openStoreConnection } from "../../../src/commands/store/connection.ts";
import { isRecord } from "../../../src/commands/store/replies.ts";
import { signalFailure } from "../../../src/core/errors.ts";
import { freePort } from "../../support/servers/free-port.ts";
import { reply, startStranger } from "../../support/servers/stranger.ts";
import { ownHeaders, storeContext } from "./store-context.ts";

/** Returns the state, or the Failure, of a store that replies like this. */
async function stateOf(...answer: Parameters<typeof reply>) {
  const stranger = await startStranger(reply(...answer));
  const store = await openStoreConnection(storeContext(stranger.baseUrl).context);
  return store.ask("state", isRecord).catch((error: unknown) => error);
}

describe("a request", () => {
  it.each(["/v1", "/v1/", "/shop/v1"])("goes below /_store in place of %s", async (path) => {
    const stranger = await startStranger(reply(200, '{"pets":1}', ownHeaders));
    const { context } = storeContext(stranger.baseUrl.replace("/v1", path));
    const store = await openStoreConnection(context);
    expect(await store.ask("state", isRecord)).toEqual({ pets: 1 });
    await store.ask("faults", isRecord, { method: "POST", body: "{}", headers: { "X-More": "1" } });
    const [get, post] = stranger.requests;
    const base = path.replace(/\/v1\/?$/, "");
    expect([get?.method, get?.url]).toEqual(["GET", `${base}/_store/state`]);
    expect(get?.headers.authorization).toBe("Bearer pk_1");
    expect(get?.headers).not.toHaveProperty("content-type");
    expect([post?.method, post?.url, post?.body]).toEqual(["POST", `${base}/_store/faults`, "{}"]);
    expect(post?.headers).toMatchObject({ "content-type": "application/json", "x-more": "1" });
  });

  it.each(["", "/v2", "/v1/pets"])("is impossible for the base path %j", async (path) => {
    const { context } = storeContext(`http://127.0.0.1:1${path}`);
    await expect(openStoreConnection(context)).rejects.toMatchObject({
      kind: "service",
      message: "the service at 127.0.0.1:1 is not run by `pets serve`",
    });
  });
});

describe("a reply", () => {
  const said = JSON.stringify({ code: "odd", message: "It is odd.", status: 400 });

  it.each([
    ["by another server", 200, "{}", {}, "service", /is not run by `pets serve`$/],
    ["by another server that refuses", 401, "{}", {}, "service", /is not run by `pets serve`$/],
    ["without JSON", 200, "<html>", ownHeaders, "service", /sent a reply that is not valid$/],
    ["of another kind", 200, "[]", ownHeaders, "service", /sent a reply that is not valid$/],
    ["401", 401, said, ownHeaders, "auth", /^It is odd\.$/],
    ["403 without a message", 403, "", ownHeaders, "auth", /^the store at .* answered 403$/],
    ["400", 400, said, ownHeaders, "usage", /^It is odd\.$/],
    ["404", 404, said, ownHeaders, "service", /has no such path for this request$/],
    ["500", 500, said, ownHeaders, "service", /^It is odd\.$/],
    ["201", 201, "{}", ownHeaders, "usage", /answered 201$/],
  ])("%s: %i %s", async (_what, status, body, headers, kind, message) => {
    expect(await stateOf(status, body, headers)).toMatchObject({
      kind,
      message: expect.stringMatching(message),
    });
  });

  it("that refuses keeps the code and the status of the service", async () => {
    expect(await stateOf(400, said, ownHeaders)).toMatchObject({
      code: "odd",
      facts: { status: 400 },
    });
    expect(await stateOf(404, said, ownHeaders)).toMatchObject({
      hints: ["a store can be inspected only from its own machine, at a loopback address"],
    });
  });

  it("is the stream itself if that is requested", async () => {
    const stranger = await startStranger(reply(200, "data: 1\n\n", ownHeaders));
    const store = await openStoreConnection(storeContext(stranger.baseUrl).context);
    expect(await text(await store.stream("events"))).toBe("data: 1\n\n");
  });
});

describe("no reply", () => {
  it("ends with exit 6 and what to do", async () => {
    const { context } = storeContext(`http://127.0.0.1:${await freePort()}/v1`);
    const store = await openStoreConnection(context);
    await expect(store.ask("state", isRecord)).rejects.toMatchObject({
      kind: "unreachable",
      message: expect.stringMatching(/^the store at 127\.0\.0\.1:\d+ could not be reached: /),
      hints: ["Is the store running? Start it with `pets serve`."],
    });
  });

  it.each([
    ["before its head", false],
    ["within its body", true],
  ])("in time, %s, is exit 6", async (_when, hasHead) => {
    const stranger = await startStranger((_request, response) => {
      if (hasHead) response.writeHead(200, ownHeaders).write("{");
    });
    const { context } = storeContext(stranger.baseUrl, { timeout: "0.05" });
    const store = await openStoreConnection(context);
    await expect(store.ask("state", isRecord)).rejects.toMatchObject({ kind: "unreachable" });
  });

  it.each([
    ["before its head", false],
    ["within its body", true],
  ])("because of a signal, %s, is what the signal says", async (_when, hasHead) => {
    const failure = signalFailure("SIGINT");
    const stranger = await startStranger((_request, response) => {
      if (hasHead) response.writeHead(200, ownHeaders).write("{");
      setTimeout(() => abort.abort(failure), 20);
    });
    const { context, abort } = storeContext(stranger.baseUrl);
    const store = await openStoreConnection(context);
    await expect(store.ask("state", isRecord)).rejects.toBe(failure);
  });
});
