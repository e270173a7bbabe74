import { describe, expect, it } from "vitest";
import { isEndpointGone } from "../../src/client/find-in-lists.ts";
import { parseReplyHead } from "../../src/client/http/reply-head.ts";
import { type Answer, connect, failureOf, rex, rexPet, serve } from "./support/service.ts";

const error = (status: number) => ({ code: "not_found", message: "none", status });

describe("isEndpointGone", () => {
  it.each<[number, boolean, string | undefined, boolean]>([
    [200, false, undefined, false],
    [401, false, undefined, false],
    [404, true, undefined, false],
    [404, false, undefined, true],
    [404, true, "Wed, 04 Dec 2030 23:59:59 GMT", false],
    [404, true, "Thu, 05 Dec 2030 00:00:00 GMT", true],
    [404, true, "Fri, 06 Dec 2030 00:00:00 GMT", true],
    [404, true, "some day", false],
    [410, true, undefined, true],
    [410, false, undefined, true],
    [500, false, "Fri, 06 Dec 2030 00:00:00 GMT", false],
  ])("%i, an Error %s, Date %s: %s", (status, hasError, date, expected) => {
    const reply = { ...parseReplyHead(status, { date }, Date.now()), body: "" };
    expect(isEndpointGone({ kind: "reply", reply }, hasError)).toBe(expected);
  });

  it("is false without a reply", () => {
    expect(isEndpointGone({ kind: "timeout" }, false)).toBe(false);
  });
});

const urls = (service: { requests: readonly { url: string }[] }): string[] =>
  service.requests.map(({ url }) => url);

describe("get", () => {
  const other = { id: 7, name: "Tom", categoryId: 3 };
  const lists = [
    "/v1/pets?limit=100",
    "/v1/pets?limit=100&status=available",
    "/v1/pets?limit=100&status=pending",
    "/v1/pets?limit=100&status=sold",
  ];

  it("does not search if the service says that the animal does not exist", async () => {
    await using service = await serve([404, error(404)]);
    expect(await failureOf(connect(service.baseUrl).api.get(1n))).toMatchObject({
      kind: "not_found",
      code: "not_found",
      facts: { attempts: 1, retryable: false, status: 404 },
    });
    expect(urls(service)).toEqual(["/v1/pets/1"]);
  });

  it.each<[string, Answer]>([
    ["410", [410, error(410)]],
    ["404 with a page", [404, "<html>"]],
    ["404 from that day on", [404, error(404), { date: "Thu, 05 Dec 2030 00:00:00 GMT" }]],
  ])("searches the lists after %s, until it finds the animal", async (_name, gone) => {
    await using service = await serve(gone, [200, [other]], [200, []], [200, [other, rex]]);
    expect(await connect(service.baseUrl).api.get(1n)).toEqual({ pet: rexPet, searched: true });
    expect(urls(service)).toEqual(["/v1/pets/1", ...lists.slice(0, 3)]);
  });

  it("says which animals it can search when it finds nothing", async () => {
    await using service = await serve([410], [200, [other]]);
    const failure = await failureOf(connect(service.baseUrl).api.get(1n));
    expect(failure).toMatchObject({ kind: "not_found", facts: { attempts: 5, searched: true } });
    expect(failure.message).toContain("only the newest 100 animals");
    expect(urls(service)).toEqual(["/v1/pets/1", ...lists]);
  });

  it("fails like the list, with all requests counted", async () => {
    await using service = await serve([410], [200, []], [401, { ...error(401), code: "bad_key" }]);
    expect(await failureOf(connect(service.baseUrl).api.get(1n))).toMatchObject({
      kind: "auth",
      code: "bad_key",
      facts: { attempts: 3, searched: true },
    });
  });

  it("fails without a search if there are no lists either", async () => {
    await using service = await serve([404, "<html>"]);
    const failure = await failureOf(connect(service.baseUrl).api.get(1n));
    expect(failure.facts).toMatchObject({ attempts: 2 });
    expect(failure.facts.searched).toBeUndefined();
  });
});
