import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { serverTimes } from "../../../src/server/http/server.ts";
import { whenFinished } from "../program/when-finished.ts";
import { askFaulty } from "./faulty-store.ts";
import { parseReplies, type RawReply, sendRaw } from "./raw.ts";
import { startTestStore, type TestStore, type TestStoreOptions } from "./store.ts";

export const rex = '{"name":"Rex","categoryId":1}';

/** Returns the head of a request with the store's key. */
export const head = (
  { apiKey }: Pick<TestStore, "apiKey">,
  first: string,
  ...more: readonly string[]
): string =>
  [`${first} HTTP/1.1`, "Host: localhost", `Authorization: Bearer ${apiKey}`, ...more, "", ""].join(
    "\r\n",
  );

export const post = (store: Pick<TestStore, "apiKey">, ...more: readonly string[]): string =>
  head(store, "POST /v1/pets", "Content-Type: application/json", ...more);

export const addOf = (store: Pick<TestStore, "apiKey">): string =>
  `${post(store, `Content-Length: ${rex.length}`)}${rex}`;

/** Sends one request over a new connection, with the store's key unless `headers` are given. */
export const ask = (
  store: TestStore,
  method: string,
  target: string,
  { body = "", headers }: { body?: string; headers?: readonly string[] } = {},
): Promise<RawReply> =>
  askFaulty(store, `${method} ${target}`, { body, ...(headers && { key: "", headers }) });

/** Starts a store whose time-outs are about a second: more than a pause of a busy process. */
export const startImpatientStore = (options: TestStoreOptions = {}) => {
  const times = {
    ...serverTimes,
    headersTimeout: 800,
    requestTimeout: 1000,
    keepAliveTimeout: 500,
    connectionsCheckingInterval: 20,
    timeout: 1000,
  };
  return startTestStore({ ...options, options: { times, ...options.options } });
};

export interface WireClient {
  readonly socket: Socket;
  readonly received: () => Buffer;
  /** The complete replies among it. */
  readonly replies: () => readonly RawReply[];
  readonly closed: Promise<void>;
}

export async function openClient(
  { port }: Pick<TestStore, "port">,
  options: { readonly allowHalfOpen?: boolean } = {},
): Promise<WireClient> {
  const socket = connect({ port, host: "127.0.0.1", ...options }).on("error", () => {});
  whenFinished(() => void socket.destroy());
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await once(socket, "connect");
  const received = (): Buffer => Buffer.concat(chunks);
  return { socket, received, replies: () => parseReplies(received()), closed };
}

/** Sends an add without its body, of `length` bytes, which the store has begun to read. */
export async function startAdding(
  store: Pick<TestStore, "port" | "apiKey">,
  length = rex.length,
): Promise<WireClient> {
  const client = await openClient(store);
  client.socket.write(post(store, "Expect: 100-continue", `Content-Length: ${length}`));
  // The 100 shows it.
  await once(client.socket, "data");
  return client;
}

/** Sends `text` byte by byte, one every `ms`, while the connection is open. */
export function drip({ socket }: WireClient, text: string, ms: number): void {
  const bytes = text.split("");
  const timer = setInterval(() => {
    const byte = bytes.shift();
    if (byte === undefined || socket.destroyed) clearInterval(timer);
    else socket.write(byte);
  }, ms);
  whenFinished(() => clearInterval(timer));
}

/** Returns whether the store answers, and had no unexpected error. */
export const isServing = async (store: TestStore): Promise<boolean> => {
  const [reply] = await sendRaw(store.port, [head(store, "GET /v1/pets")]);
  return reply?.status === 200 && store.faults.length === 0;
};
