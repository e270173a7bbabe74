import type { ServerResponse } from "node:http";
import { startStranger } from "./stranger.ts";

/** A request that came to a service, which answers it when it likes. */
export interface Arrival {
  /** When it came, by `performance.now()`. */
  readonly at: number;
  readonly method: string;
  readonly url: string;
  /** The key that it was sent with. */
  readonly key: string;
  /** When it was answered. */
  answeredAt: number | undefined;
  /** Answers an empty list, or an animal, or nothing where the status is no success. */
  answer(status: number, headers?: Record<string, string>): void;
}

/** A service that looks at when requests come. */
export interface PacedService {
  readonly baseUrl: string;
  readonly arrivals: readonly Arrival[];
  /** Resolves when `count` requests have come. */
  came(count: number): Promise<void>;
  /** The most requests at once that were not answered yet. */
  readonly mostAtOnce: number;
}

const pet = '{"id":1,"name":"Rex","categoryId":2}';

/** Starts a service that does with each request, by its number from 0, what `onArrival` does. */
export async function startPaced(
  onArrival: (arrival: Arrival, n: number) => void,
): Promise<PacedService> {
  const arrivals: Arrival[] = [];
  let waiting: { readonly count: number; readonly wake: () => void }[] = [];
  let mostAtOnce = 0;
  const stranger = await startStranger(({ method, url, headers }, response, n) => {
    const key = headers.authorization?.replace("Bearer ", "") ?? "";
    const arrival = makeArrival({ method, url, key }, response);
    arrivals.push(arrival);
    const open = arrivals.filter(({ answeredAt }) => answeredAt === undefined);
    mostAtOnce = Math.max(mostAtOnce, open.length);
    onArrival(arrival, n);
    for (const { count, wake } of waiting) if (arrivals.length >= count) wake();
    waiting = waiting.filter(({ count }) => arrivals.length < count);
  });
  return {
    baseUrl: stranger.baseUrl,
    arrivals,
    came: (count) =>
      new Promise((wake) => {
        if (arrivals.length >= count) wake();
        else waiting.push({ count, wake });
      }),
    get mostAtOnce() {
      return mostAtOnce;
    },
  };
}

function makeArrival(
  { method, url, key }: { method: string; url: string; key: string },
  response: ServerResponse,
): Arrival {
  return {
    at: performance.now(),
    method,
    url,
    key,
    answeredAt: undefined,
    answer(status, headers = {}) {
      this.answeredAt = performance.now();
      const list = method === "GET" && !/\/pets\/\d/.test(url) ? "[]" : pet;
      const body = status < 300 ? list : "";
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
    },
  };
}
