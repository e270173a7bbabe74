import { randomInt } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";

/** Makes `server` listen on any free port of 127.0.0.1, and returns the port. */
export async function listen(server: Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

/** Each worker has ports of its own, so that none is free for two of them. */
const range = 500;
const first = 20_000 + range * (Number(process.env.VITEST_POOL_ID ?? 0) % 24);
let next = randomInt(range);

/** Returns a free port of 127.0.0.1, below those that the system gives to others who ask for any. */
export function freePort(): Promise<number> {
  const port = first + (next++ % range);
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(freePort()));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(port)));
  });
}
