import { connect } from "node:net";
import { joinChunks, parseHead, type RawReply } from "./raw.ts";
import { type LabOptions, startTestStore, type TestStore, type TestStoreOptions } from "./store.ts";

/** What was received before the connection ended; the status is 0 if nothing was. */
export interface Outcome extends RawReply {
  /** The error that ended the connection, if there was one. */
  readonly error: string | undefined;
}

/** Starts a store with a lab in this process; it is closed when the test ends. */
export function startFaultyStore({
  fault,
  latency,
  faultSeed,
  script,
  ...options
}: TestStoreOptions & LabOptions = {}): Promise<TestStore> {
  return startTestStore({ ...options, lab: { fault, latency, faultSeed, script } });
}

/** Sends one request over a new connection, to its end or for `patienceMs`; with the store's key unless told otherwise. */
export function askFaulty(
  { port, apiKey }: Pick<TestStore, "port" | "apiKey">,
  line: string,
  {
    body = "",
    fault = "",
    host = "localhost",
    key = apiKey,
    headers = [] as readonly string[],
    patienceMs = 60_000,
  } = {},
): Promise<Outcome> {
  const head = [
    `${line} HTTP/1.1`,
    `Host: ${host}`,
    "Connection: close",
    ...(key === "" ? [] : [`Authorization: Bearer ${key}`]),
    ...headers,
    ...(fault === "" ? [] : [`X-Pets-Fault: ${fault}`]),
    ...(body === ""
      ? []
      : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]),
  ];
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let received = Buffer.alloc(0);
    let error: string | undefined;
    const timer = setTimeout(() => socket.destroy(new Error("no answer in time")), patienceMs);
    socket.on("data", (chunk) => (received = Buffer.concat([received, chunk])));
    socket.on("error", ({ message }) => (error = message));
    socket.on("close", () => {
      clearTimeout(timer);
      resolve({ ...parse(received), error });
    });
    socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  });
}

function parse(bytes: Buffer): RawReply {
  const head = parseHead(bytes);
  if (head === undefined) return { status: 0, headers: {}, body: "" };
  const { bodyStart, ...fields } = head;
  const isChunked = fields.headers["transfer-encoding"] === "chunked";
  const chunks = isChunked ? joinChunks(bytes, bodyStart) : undefined;
  return { ...fields, body: chunks?.body ?? bytes.toString("utf8", bodyStart) };
}

export const petBody = (name = "Rex"): string => JSON.stringify({ name, categoryId: 1 });

/** Returns the code of an Error body; undefined for other bodies. */
export const codeOf = (reply?: Pick<RawReply, "body">): unknown =>
  JSON.parse(reply?.body ?? "{}").code;

/** Returns the reply to `GET /_store/state`. */
export const stateOf = async (store: Pick<TestStore, "port" | "apiKey">) =>
  JSON.parse((await askFaulty(store, "GET /_store/state")).body);

/** Returns the names of the newest 100 animals. */
export async function namesIn(store: TestStore): Promise<string[]> {
  const { body } = await askFaulty(store, "GET /v1/pets?limit=100");
  return JSON.parse(body).map(({ name }: { name: string }) => name);
}
