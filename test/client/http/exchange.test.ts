import { EventEmitter } from "node:events";
import { array, assert, asyncProperty, uint8Array } from "fast-check";
import type { Dispatcher } from "undici";
import { describe, expect, it } from "vitest";
import { exchange, type ExchangeResult } from "../../../src/client/http/exchange.ts";

/** Sends a request whose response has these parts; returns how it ended. */
function read(parts: Iterable<Uint8Array>, maxBytes = 200_000): Promise<ExchangeResult> {
  const controller = { abort: () => {} } as unknown as Dispatcher.DispatchController;
  const dispatch = (_options: unknown, handler: Dispatcher.DispatchHandler): boolean => {
    handler.onRequestStart?.(controller, {});
    handler.onResponseStart?.(controller, 200, {}, "OK");
    for (const part of parts) handler.onResponseData?.(controller, Buffer.from(part));
    handler.onResponseEnd?.(controller, {});
    return true;
  };
  const dispatcher = Object.assign(new EventEmitter(), { dispatch }) as unknown as Dispatcher;
  return exchange(
    dispatcher,
    { method: "GET", path: "/", headers: {} },
    {
      deadline: { reason: undefined, onStop: () => {} },
      observer: { beforeSend: () => true, onHead: () => {} },
      now: () => 0,
      maxBytes,
    },
  );
}

describe("the body of a response", () => {
  it("is all its parts in order", async () => {
    await assert(
      asyncProperty(array(uint8Array({ maxLength: 3000 }), { maxLength: 40 }), async (parts) => {
        const { body, end } = await read(parts);
        expect([Buffer.from(body).equals(Buffer.concat(parts)), end]).toEqual([true, "complete"]);
      }),
    );
  });

  it("takes little more memory than its bytes, however small the parts", async () => {
    const parts = Array.from({ length: 100_000 }, (_, i) => Uint8Array.of(i));
    const { body } = await read(parts);
    expect([body.length, body.buffer.byteLength]).toEqual([100_000, 100_000]);
  });

  it.each([
    [3, "complete"],
    [2, "too_large"],
  ])("may have %i bytes or fewer: %s", async (maxBytes, end) => {
    expect(await read([Uint8Array.of(1, 2), Uint8Array.of(3)], maxBytes)).toMatchObject({ end });
  });
});
