import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Returns a free port of 127.0.0.1, below those that the system gives to others who ask for any. */
export function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_000);
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(freePort()));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(port)));
  });
}
