import http from "node:http";
import net from "node:net";
import { type PetsApi, PetsClient } from "../../../src/client/pets-client.ts";
import type { ApiEvent, PetsApiOptions, Wait } from "../../../src/client/types.ts";
import { Failure } from "../../../src/core/errors.ts";
import type { Clock } from "../../../src/platform/io.ts";
import { LocalLimiter } from "../../../src/rate-limiter/local-limiter.ts";
import { inMemoryLog } from "../../../src/rate-limiter/log/event-log.ts";
import { testMachine } from "../../support/command/machine.ts";
import { secretsOf } from "../../support/command/secrets.ts";

export const key = "key-0123456789-last";

/** A server on a free port of 127.0.0.1 until the end of the test. */
interface Listening extends AsyncDisposable {
  readonly port: number;
  readonly baseUrl: URL;
}

/** Listens on a free port. */
export async function listen(server: net.Server, protocol = "http:"): Promise<Listening> {
  const sockets = new Set<net.Socket>();
  server.on("connection", (socket: net.Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    port,
    baseUrl: new URL(`${protocol}//127.0.0.1:${port}/v1`),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** A request as a service received it. */
interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  /** The number of its connection, from 1. */
  readonly connection: number;
}

/** The reply of a service: a status, a body and headers; or a function that replies itself. */
export type Answer =
  | readonly [status: number, body?: unknown, headers?: http.OutgoingHttpHeaders]
  | ((response: http.ServerResponse) => void);

/** Starts a service that returns these replies in turn, and repeats the last one. */
export async function serve(
  ...answers: readonly Answer[]
): Promise<Listening & { readonly requests: SeenRequest[] }> {
  const requests: SeenRequest[] = [];
  const connections: net.Socket[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const answer = answers[Math.min(requests.length, answers.length - 1)] ?? [500];
      if (!connections.includes(request.socket)) connections.push(request.socket);
      const { method = "", url = "", headers } = request;
      const connection = connections.indexOf(request.socket) + 1;
      requests.push({ method, url, headers, body: Buffer.concat(chunks).toString(), connection });
      if (typeof answer === "function") return answer(response);
      const [status, body = "", more = {}] = answer;
      response.writeHead(status, { "content-type": "application/json", ...more });
      response.end(
        typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
      );
    });
  });
  return { ...(await listen(server)), requests };
}

/** Starts a service that replies to every request on a raw connection with these bytes, then calls `after`. */
export async function serveRaw(
  reply: string | Uint8Array,
  after: (socket: net.Socket) => void = (socket) => socket.end(),
): Promise<Listening & { connections: number }> {
  const server = net.createServer((socket) => {
    state.connections += 1;
    socket.once("data", () => socket.write(reply, () => after(socket)));
  });
  const state = { ...(await listen(server)), connections: 0 };
  return state;
}

/**
 * Creates a PetsApi whose waits take no time: they move its clock, which is the machine's, forward. With
 * `isStill` nothing else moves it, and no wait ends while a request is in flight.
 */
export function connect(
  baseUrl: URL,
  { isStill = false, ...more }: Partial<PetsApiOptions> & { readonly isStill?: boolean } = {},
) {
  const events: ApiEvent[] = [];
  const waits: Wait[] = [];
  const [startAt, start] = [Date.now(), performance.now()];
  let waited = 0;
  const monotonic = (): number => (isStill ? 0 : performance.now() - start) + waited;
  const clock: Clock = {
    now: () => startAt + monotonic(),
    monotonic,
    sleep: async (ms, signal) => {
      if (isStill) await idle();
      signal?.throwIfAborted();
      waited += ms;
    },
  };
  const count = (...types: readonly ApiEvent["type"][]): number =>
    events.filter(({ type }) => types.includes(type)).length;
  const idle = async (): Promise<void> => {
    do await new Promise(setImmediate);
    while (count("request") > count("reply", "failure"));
  };
  const machine = testMachine(clock);
  const limiter = new LocalLimiter({
    logs: [inMemoryLog],
    now: () => ({ boot: machine.bootId(), uptime: machine.uptime(), wall: clock.now() }),
    machine,
    random: Math.random,
    onMoved: (what) => {
      throw new Error(what);
    },
  });
  const api: PetsApi = new PetsClient({
    baseUrl,
    apiKey: key,
    secrets: secretsOf(more.apiKey ?? key),
    timeoutMs: 5000,
    maxWaitMs: 75_000,
    userAgent: "pets/test",
    env: {},
    clock,
    limiter,
    random: () => 0.5,
    signal: new AbortController().signal,
    ...more,
    onEvent: (event) => {
      events.push(event);
      if (event.type === "waiting") waits.push(event.wait);
      more.onEvent?.(event);
    },
  });
  return { api, events, waits, clock, limiter };
}

/** Returns the Failure that `promise` rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const error = await promise.then(
    (value) => new Error(`no failure but ${String(value)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof Failure) return error;
  throw error;
}

export const rex = { id: 1, name: "Rex", categoryId: 2, status: "sold" };
export const rexPet = { id: 1n, name: "Rex", categoryId: 2n, status: "sold" };
