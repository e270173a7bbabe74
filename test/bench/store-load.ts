// The load generator, in a separate process: does the job that the parent sends, and reports the
// result. It implements HTTP itself, because a client of Node's would cost more than the servers.
import { connect, type Socket } from "node:net";

/** A request to send on a number of connections, each when the one before is answered. */
export interface LoadJob {
  readonly port: number;
  readonly connections: number;
  readonly ms: number;
  /** The complete request, head and body. */
  readonly request: string;
}

/** The result of a job. */
export interface LoadResult {
  /** How many requests were answered. */
  readonly count: number;
  readonly ms: number;
  /** The statuses that were received. */
  readonly statuses: readonly string[];
}

const headEnd = "\r\n\r\n";
const lengthName = "content-length: ";

process.on("message", async (job: LoadJob) => process.send?.(await doJob(job)));
process.once("disconnect", () => process.exit());

async function doJob({ port, connections, ms, request }: LoadJob): Promise<LoadResult> {
  const statuses = new Set<string>();
  let count = 0;
  const start = performance.now();
  const message = Buffer.from(request);
  const work = async (): Promise<void> => {
    const { socket, ask } = await client(port);
    while (performance.now() < start + ms) {
      statuses.add(await ask(message));
      count += 1;
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: connections }, work));
  return { count, ms: performance.now() - start, statuses: [...statuses] };
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
