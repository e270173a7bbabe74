import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { getJson, send } from "../../../../src/server/page/app/api.ts";

beforeEach(() => void vi.stubGlobal("localStorage", { getItem: () => "s3cret" }));
afterEach(() => void vi.unstubAllGlobals());

const respond = (answer: () => Response) => vi.stubGlobal("fetch", async () => answer());

it("sends the secret of this page, and bypasses caches", async () => {
  const fetched = vi.fn<typeof fetch>(async () => new Response("{}"));
  vi.stubGlobal("fetch", fetched);
  await send("/_store/state", { headers: { "Last-Event-ID": "s-1" } });
  const [path, { headers, cache } = {}] = fetched.mock.calls[0] ?? [];
  const sent = Object.fromEntries(new Headers(headers));
  expect(sent).toEqual({ "last-event-id": "s-1", "x-pets-page": "s3cret" });
  expect([path, cache]).toEqual(["/_store/state", "no-store"]);
});

it("reads JSON with int64 digit for digit", async () => {
  respond(() => new Response('{"id":9223372036854775807}'));
  expect(await getJson("/x")).toEqual({ id: 9223372036854775807n });
});

const down = (): never => {
  throw new TypeError("Failed to fetch");
};
const brokenOff = (): Response =>
  new Response(new ReadableStream({ start: (each) => each.error(new Error("gone")) }));
const unreachable = "The store is unreachable. Is it running? Start it with `pets serve`.";

it.each<[string, () => Response, number, string]>([
  ["an error", () => Response.json({ message: "It is odd." }, { status: 400 }), 400, "It is odd."],
  ["no JSON", () => new Response("<", { status: 502 }), 502, "the store responded with 502"],
  ["no JSON and a success", () => new Response(""), 200, "the store responded with 200"],
  ["no reply", down, 0, unreachable],
  ["a reply that breaks off", brokenOff, 0, unreachable],
])("fails with %s", async (_what, answer, status, message) => {
  respond(answer);
  await expect(getJson("/x")).rejects.toMatchObject({ status, message });
});
