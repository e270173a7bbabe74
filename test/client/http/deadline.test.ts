import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { onAbort } from "../../../src/client/http/deadline.ts";

describe("onAbort", () => {
  it("calls back at once if the signal is aborted already", () => {
    const told: string[] = [];
    onAbort(AbortSignal.abort(), () => told.push("a"));
    expect(told).toEqual(["a"]);
  });

  it("calls each remaining callback once, whatever the order of unsubscribing", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat())), (steps) => {
        const controller = new AbortController();
        const told: number[] = [];
        const waiting = new Map<number, () => void>();
        steps.forEach(([adds, which], number) => {
          const leaving = [...waiting.keys()][which % waiting.size];
          if (adds || leaving === undefined)
            waiting.set(
              number,
              onAbort(controller.signal, () => told.push(number)),
            );
          else {
            waiting.get(leaving)?.();
            waiting.delete(leaving);
          }
        });
        controller.abort();
        expect(told.toSorted((a, b) => a - b)).toEqual([...waiting.keys()]);
      }),
    );
  });

  it("lets a callback unsubscribe itself", () => {
    const controller = new AbortController();
    const told: string[] = [];
    const forget = onAbort(controller.signal, () => {
      told.push("a");
      forget();
    });
    onAbort(controller.signal, () => told.push("b"));
    controller.abort();
    expect(told).toEqual(["a", "b"]);
  });
});
