import { describe, expect, it } from "vitest";
import { RefusalCounter } from "../../../src/client/retry/refusals.ts";
import { connect, failureOf, rex, serve } from "../support/service.ts";

const newPet = { name: "Rex", categoryId: 2n };

describe("refusals in a row", () => {
  it("are counted once for those that were on their way together", () => {
    const refusals = new RefusalCounter();
    for (let i = 0; i < 5; i += 1) refusals.record(0, true);
    expect(refusals.consecutive).toBe(1);
    refusals.record(1, true);
    expect(refusals.consecutive).toBe(2);
  });

  it("end with an answer to a request that knew of them, not with a late one", () => {
    const refusals = new RefusalCounter();
    refusals.record(0, true);
    refusals.record(0, false);
    expect(refusals.consecutive).toBe(1);
    refusals.record(1, false);
    expect(refusals.consecutive).toBe(0);
  });
});

describe("many requests of one client", () => {
  it("try a refused key no more often than one request would", async () => {
    await using service = await serve([429, "", { "retry-after": "1" }]);
    const { api } = connect(service.baseUrl);
    expect(await failureOf(api.add(newPet))).toMatchObject({ kind: "rate_limited" });
    expect(service.requests).toHaveLength(3);
    expect(await failureOf(api.add(newPet))).toMatchObject({ kind: "rate_limited" });
    expect(service.requests).toHaveLength(4);
  });

  it("go on when one of them gets through", async () => {
    const refused = [429, "", { "retry-after": "1" }] as const;
    const ok = [201, rex] as const;
    await using service = await serve(refused, refused, ok, refused, refused, ok);
    const { api } = connect(service.baseUrl);
    for (let i = 0; i < 2; i += 1) await api.add(newPet);
    expect(service.requests).toHaveLength(6);
  });
});
