// The load generator, in a separate process: does the job that the parent sends, and reports the
// result. It implements HTTP itself, because a client of Node's would cost more than the servers.
import { connect, type Socket } from "node:net";

/** Requests to send on a number of connections, each when the one before is answered. */
export interface LoadJob {
  readonly port: number;
  readonly connections: number;
  readonly ms: number;
  /** Complete requests, head and body, sent in turn. */
  readonly requests: readonly string[];
  /** The index in `requests` of the one that is timed. */
  readonly timed: number;
}

/** The result of a job. */
export interface LoadResult {
  /** How many of the timed requests were answered, and how many of the others. */
  readonly count: number;
  readonly ms: number;
  /** The median time from sending to the last byte of the timed requests, in µs. */
  readonly medianUs: number;
  /** The status lines that were received, and how often. */
  readonly statuses: Readonly<Record<string, number>>;
}

const headEnd = "\r\n\r\n";
const lengthName = "content-length: ";

process.on("message", async (job: LoadJob) => process.send?.(await doJob(job)));
process.once("disconnect", () => process.exit());

async function doJob({ port, connections, ms, requests, timed }: LoadJob): Promise<LoadResult> {
  const statuses: Record<string, number> = {};
  const times: number[] = [];
  const start = performance.now();
  const until = start + ms;
  const messages = requests.map((request) => Buffer.from(request));
  await Promise.all(
    Array.from({ length: connections }, async (_none, offset) => {
      const { socket, ask } = await client(port);
      for (let turn = offset; performance.now() < until; turn += 1) {
        const place = turn % messages.length;
        const sent = performance.now();
        const status = await ask(messages[place] ?? Buffer.of());
        if (place === timed) times.push((performance.now() - sent) * 1000);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
      socket.destroy();
    }),
  );
  const sorted = times.toSorted((a, b) => a - b);
  const medianUs = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  return { count: times.length, ms: performance.now() - start, medianUs, statuses };
}

/** A connection for one request at a time; each resolves with the status of the reply. */
async function client(port: number) {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  let waiting: PromiseWithResolvers<string> | undefined;
  const fail = (error: Error): void => waiting?.reject(error);
  readReplies(socket, (status) => waiting?.resolve(status));
  socket.on("error", fail).on("end", () => fail(new Error("the server closed the connection")));
  const ask = (request: Uint8Array): Promise<string> => {
    waiting = Promise.withResolvers<string>();
    socket.write(request);
    return waiting.promise;
  };
  return { socket, ask };
}

function readReplies(socket: Socket, tell: (status: string) => void): void {
  let missing = 0;
  let status = "";
  let head = "";
  socket.on("data", (chunk) => {
    if (missing > 0) missing -= chunk.length;
    else {
      head += chunk.toString("latin1", 0, 1024);
      const end = head.indexOf(headEnd);
      if (end === -1) return;
      const length = head.toLowerCase().indexOf(lengthName) + lengthName.length;
      missing = end + headEnd.length + Number.parseInt(head.slice(length), 10) - chunk.length;
      status = head.slice(9, 12);
      head = "";
    }
    if (missing === 0) tell(status);
  });
}
