import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  type Animals,
  makeLoader,
} from "../../../../../src/server/page/app/animals/use-animals.ts";
import { connection } from "../../../../../src/server/page/app/connection.ts";

beforeEach(() => {
  vi.useFakeTimers();
  connection.set("live");
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const animals: Animals = { total: 0, counts: {}, pets: [] };
const refused = (): Response => Response.json({ message: "It is odd." }, { status: 500 });

/** Returns a loader for a store with these replies, each after this many ms; records its requests and what it showed. */
function loader(status: string, answer = () => Response.json(animals), ms = 0) {
  const asked: string[] = [];
  const shown: (Animals | string | undefined)[] = [];
  vi.stubGlobal("fetch", async (path: string) => {
    asked.push(path);
    await new Promise((resolve) => setTimeout(resolve, ms));
    return answer();
  });
  const { soon, stop } = makeLoader(
    status,
    (found) => shown.push(found),
    (problem) => shown.push(problem),
  );
  return { asked, shown, soon, stop };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

it.each([
  ["", "/_store/pets"],
  ["sold", "/_store/pets?status=sold"],
])("requests for the status %j %s", async (status, path) => {
  const { asked, shown, soon } = loader(status);
  soon();
  await pass(0);
  expect([asked, shown]).toEqual([[path], [animals, undefined]]);
});

it("sends at most one request a second, and one more for all changes in the meantime", async () => {
  const { asked, soon } = loader("");
  for (let count = 0; count < 5; count += 1) soon();
  await pass(999);
  expect(asked).toHaveLength(1);
  await pass(1);
  expect(asked).toHaveLength(2);
  await pass(60_000);
  expect(asked).toHaveLength(2);
  soon();
  expect(asked).toHaveLength(3);
});

it.each([
  ["live", ["It is odd."]],
  ["lost", []],
] as const)("shows a problem while the page is %s: %j", async (state, shown) => {
  connection.set(state);
  const load = loader("", refused);
  load.soon();
  await pass(0);
  expect(load.shown).toEqual(shown);
});

it.each([
  ["animals", undefined],
  ["a problem", refused],
])("shows no %s after it is stopped", async (_what, answer) => {
  const { asked, shown, soon, stop } = loader("", answer, 100);
  soon();
  stop();
  await pass(60_000);
  expect([asked.length, shown]).toEqual([1, []]);
});
