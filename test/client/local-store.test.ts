import { text } from "node:stream/consumers";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod/mini";
import { signalFailure } from "../../src/core/errors.ts";
import { ownHeaders, storeContext, storeKey } from "../commands/store/store-context.ts";
import { reply, startStranger } from "../support/servers/stranger.ts";

const anyObject = z.looseObject({});
const interrupted = signalFailure("SIGINT");

/** Returns the state, or the Failure, of a store that replies like this. */
async function stateOf(...answer: Parameters<typeof reply>) {
  const stranger = await startStranger(reply(...answer));
  const store = await storeContext(stranger.baseUrl).context.service.localStore();
  return store.ask("state", anyObject).catch((error: unknown) => error);
}

describe("a request", () => {
  it.each(["/v1", "/v1/", "/shop/v1"])("goes below /_store in place of %s", async (path) => {
    const stranger = await startStranger(reply(200, '{"pets":1}', ownHeaders));
    const { context } = storeContext(stranger.baseUrl.replace("/v1", path));
    const store = await context.service.localStore();
    expect(await store.ask("state", anyObject)).toEqual({ pets: 1 });
    const more = { method: "POST", body: "{}", headers: { "x-more": "1" } } as const;
    await store.ask("faults", anyObject, more);
    const [get, post] = stranger.requests;
    const base = path.replace(/\/v1\/?$/, "");
    expect([get?.method, get?.url]).toEqual(["GET", `${base}/_store/state`]);
    expect(get?.headers.authorization).toBe(`Bearer ${storeKey}`);
    expect(get?.headers).not.toHaveProperty("content-type");
    expect([post?.method, post?.url, post?.body]).toEqual(["POST", `${base}/_store/faults`, "{}"]);
    expect(post?.headers).toMatchObject({ "content-type": "application/json", "x-more": "1" });
  });

  it.each(["", "/v2", "/v1/pets"])("is impossible for the base path %j", async (path) => {
    const { context } = storeContext(`http://127.0.0.1:1${path}`);
    await expect(context.service.localStore()).rejects.toMatchObject({
      kind: "service",
      message: "the service at 127.0.0.1:1 is not run by `pets serve`",
    });
  });
});

describe("a response", () => {
  const said = JSON.stringify({ code: "odd", message: "It is odd.", status: 400 });
  const elsewhere = { ...ownHeaders, location: `https://evil.example/${storeKey}` };

  it.each([
    ["by another server", 200, "{}", {}, "service", /is not run by `pets serve`$/],
    ["by another server that refuses", 401, "{}", {}, "service", /is not run by `pets serve`$/],
    ["without JSON", 200, "<html>", ownHeaders, "service", /sent an invalid response$/],
    ["of another kind", 200, "[]", ownHeaders, "service", /sent an invalid response$/],
    ["401", 401, said, ownHeaders, "auth", /401 Unauthorized: It is odd\.$/],
    ["403 without a message", 403, "", ownHeaders, "auth", /responded with 403 Forbidden$/],
    ["400", 400, said, ownHeaders, "rejected", /: It is odd\.$/],
    ["404", 404, said, ownHeaders, "service", /has no such path for this request$/],
    ["500", 500, said, ownHeaders, "service", /: It is odd\.$/],
    ["201", 201, "{}", ownHeaders, "service", /responded with 201 Created$/],
    ["that leads elsewhere", 302, "", elsewhere, "service", /to https:\/\/evil\.example\/….*which/],
    ["that leads elsewhere", 307, "", { location: "/x" }, "service", /a redirect to \/x, which/],
  ])("%s: %i %s", async (_what, status, body, headers, kind, message) => {
    expect(await stateOf(status, body, headers)).toMatchObject({
      kind,
      message: expect.stringMatching(message),
    });
  });

  it("that refuses keeps the code and the status of the store", async () => {
    expect(await stateOf(400, said, ownHeaders)).toMatchObject({
      code: "odd",
      facts: { status: 400 },
    });
    const otherKey = said.replace("odd", "unauthorized");
    expect(await stateOf(403, otherKey, ownHeaders)).toMatchObject({ exitCode: 4, hints: [] });
    expect(await stateOf(404, said, ownHeaders)).toMatchObject({
      hints: ["A local store can be inspected only on its own machine, at a loopback address."],
    });
  });

  it("has the key masked, in names and values", async () => {
    const body = JSON.stringify({ [storeKey]: [`<${storeKey}>`] });
    expect(await stateOf(200, body, ownHeaders)).toEqual({ "…o-on": ["<…o-on>"] });
  });

  it("is a stream of text if that is requested", async () => {
    const stranger = await startStranger(reply(200, "data: ü\n\n", ownHeaders));
    const store = await storeContext(stranger.baseUrl).context.service.localStore();
    expect(await text(await store.stream("events"))).toBe("data: ü\n\n");
  });

  it.each([
    ["by another server", 200, {}, /is not run by/],
    ["that refuses", 401, ownHeaders, /401/],
  ])("is no stream %s", async (_what, status, headers, message) => {
    const stranger = await startStranger((_request, response) => {
      response.writeHead(status, headers).write("x".repeat(100_000));
      if (status !== 200) response.end();
    });
    const store = await storeContext(stranger.baseUrl).context.service.localStore();
    await expect(store.stream("events")).rejects.toMatchObject({
      message: expect.stringMatching(message),
    });
  });
});

describe("no response", () => {
  it("ends with exit 6 and what to do", async () => {
    const { context } = storeContext("http://127.0.0.1:1/v1");
    const store = await context.service.localStore();
    await expect(store.ask("state", anyObject)).rejects.toMatchObject({
      kind: "unreachable",
      message: expect.stringMatching(/^127\.0\.0\.1:\d+ is unreachable: /),
      hints: ["Is the store running? Start it with `pets serve`."],
    });
  });

  it.each([
    ["before its head", false, "ask"],
    ["within its body", true, "ask"],
    ["before its head", false, "stream"],
  ] as const)("%s is exit 6 in time, or what a signal says", async (_when, hasHead, how) => {
    const stranger = await startStranger((_request, response) => {
      if (hasHead) response.writeHead(200, ownHeaders).write("{");
    });
    const run = async ({ context }: ReturnType<typeof storeContext>) => {
      const store = await context.service.localStore();
      return how === "ask" ? store.ask("state", anyObject) : store.stream("events");
    };
    const world = storeContext(stranger.baseUrl);
    const stopped = run(world).catch((error: unknown) => error);
    await vi.waitUntil(() => stranger.requests.length === 1, { timeout: 60_000 });
    world.abort.abort(interrupted);
    expect(await stopped).toBe(interrupted);
    const late = run(storeContext(stranger.baseUrl, { timeout: "0.05" }));
    await expect(late).rejects.toMatchObject({ kind: "unreachable", code: "timeout" });
  });
});
