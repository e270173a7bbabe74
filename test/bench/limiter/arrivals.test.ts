import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { countVisits, type Visit } from "./arrivals.ts";
import { startBenchStore } from "./start.ts";

const letThrough = (arrived: number): Visit => ({
  arrived,
  left: arrived + 2,
  status: 200,
  announced: 0,
});
/** Returns a request that is refused at `arrived`; the 429 is sent 2 ms later and asks to wait 4 s. */
const refused = (arrived: number): Visit => ({
  ...letThrough(arrived),
  status: 429,
  announced: 4000,
});

describe("what is counted of arrivals", () => {
  it.each([
    ["nothing of what is let through", [letThrough(0), letThrough(1)], 0, 0, 0],
    ["a refusal is not inside its own wait", [refused(0)], 1, 0, 0],
    ["nobody knew before the 429 was sent", [refused(0), letThrough(1)], 1, 0, 0],
    ["250 ms after it it was on its way", [refused(0), letThrough(252)], 1, 1, 0],
    ["251 ms after it it was not", [refused(0), letThrough(253)], 1, 0, 1],
    ["until the wait is over", [refused(0), letThrough(4001)], 1, 0, 1],
    ["not when it is over", [refused(0), letThrough(4002)], 1, 0, 0],
    ["from the first 429 that announced it", [refused(0), refused(240), letThrough(260)], 2, 1, 1],
    ["to the end of the last", [refused(0), refused(200), letThrough(4100)], 2, 1, 1],
    [
      "nothing if the 429 was never sent",
      [{ ...refused(0), left: Infinity }, letThrough(9)],
      1,
      0,
      0,
    ],
  ])("%s", (_what, visits, refusedCount, onTheWay, inside) => {
    const requests = visits.length;
    expect(countVisits(visits)).toEqual({ requests, refused: refusedCount, onTheWay, inside });
  });

  it("includes the status of each reply, and the wait that it announced", async () => {
    const options = { plan: "2/min,9/day", windowMs: 86_400_000, bans: true, seed: 1 };
    const store = await startBenchStore(options);
    const headers = { authorization: `Bearer ${store.apiKey}` };
    const body = '{"name":"Rex","categoryId":1}';
    await fetch(`${store.baseUrl}/pets`, { headers });
    await fetch(`${store.baseUrl}/pets`, { headers, method: "POST", body });
    const reply = await fetch(`${store.baseUrl}/pets`, { headers });
    const announced = Number(reply.headers.get("retry-after")) * 1000;
    await sleep(300);
    for (let count = 0; count < 3; count += 1) await fetch(`${store.baseUrl}/pets`, { headers });
    const { visits, banned, names } = await store.end();
    expect(visits.map(({ status }) => status)).toEqual([200, 201, 429, 429, 429, 429]);
    expect(visits[2]).toMatchObject({ announced, left: expect.any(Number) });
    expect(countVisits(visits)).toMatchObject({ refused: 4, onTheWay: 0, inside: 3 });
    expect(banned).toBe(1);
    expect(names.filter((name) => name === "Rex")).toEqual(["Rex"]);
  });
});
