import { vi } from "vitest";
import { startStranger } from "./stranger.ts";

/** A request that a service has received, and may answer at any time. */
export interface Arrival {
  /** When it arrived, by `performance.now()`. */
  readonly at: number;
  readonly method: string;
  readonly url: string;
  readonly key: string;
  answeredAt: number | undefined;
  /** Replies with an empty list or an animal, or with nothing if the status is not a success. */
  answer(status: number, headers?: Record<string, string>): void;
}

export type PacedService = Awaited<ReturnType<typeof startPaced>>;

const pet = '{"id":1,"name":"Rex","categoryId":2}';

/** Starts a service that calls `onArrival` with each request and its number, from 0. */
export async function startPaced(onArrival: (arrival: Arrival, n: number) => void) {
  const arrivals: Arrival[] = [];
  const stranger = await startStranger(({ method, url, headers }, response, n) => {
    const key = headers.authorization?.replace("Bearer ", "") ?? "";
    const arrival: Arrival = {
      at: performance.now(),
      method,
      url,
      key,
      answeredAt: undefined,
      answer(status, more = {}) {
        arrival.answeredAt = performance.now();
        const list = method === "GET" && !/\/pets\/\d/.test(url) ? "[]" : pet;
        const body = status < 300 ? list : "";
        response.writeHead(status, { "content-type": "application/json", ...more }).end(body);
      },
    };
    arrivals.push(arrival);
    onArrival(arrival, n);
  });
  return {
    baseUrl: stranger.baseUrl,
    arrivals: arrivals as readonly Arrival[],
    came: (count: number) =>
      vi.waitUntil(() => arrivals.length >= count, { timeout: 60_000, interval: 5 }),
  };
}

export const startWilling = (): Promise<PacedService> =>
  startPaced((arrival) => arrival.answer(arrival.method === "POST" ? 201 : 200));

/** Starts a service that refuses its first request for `seconds`, and accepts all others. */
export function startRefusing(seconds: number | string): Promise<PacedService> {
  return startPaced((arrival, n) => {
    if (n === 0) arrival.answer(429, { "retry-after": `${seconds}` });
    else arrival.answer(arrival.method === "POST" ? 201 : 200);
  });
}
