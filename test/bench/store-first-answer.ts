import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { median } from "./cpu.ts";
import { petsCommand } from "./pets-command.ts";

const [node, script] = petsCommand;
const probeMs = 1;

/**
 * Measures the wall time from the start of `pets serve` to its first answer, on the data file `file` and in
 * memory, against that of `node -e 0`: medians of interleaved runs, after one that fills the caches.
 */
export async function firstAnswers(home: string, file: string, rounds: number) {
  const env = { PATH: process.env.PATH ?? "", HOME: home };
  const times: { bare: number; onFile: number; inMemory: number }[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const bare = await timeBare(env);
    const onFile = await timeStore(env, ["--data", file]);
    const inMemory = await timeStore(env, ["--memory"]);
    if (round >= 0) times.push({ bare, onFile, inMemory });
  }
  const of = (key: "bare" | "onFile" | "inMemory"): number => median(times.map((t) => t[key]));
  return {
    ofBare: of("onFile") / of("bare"),
    ofBareInMemory: of("inMemory") / of("bare"),
    note: `${of("onFile").toFixed(0)} ms and ${of("bare").toFixed(0)} ms`,
  };
}

async function timeBare(env: NodeJS.ProcessEnv): Promise<number> {
  const start = performance.now();
  await once(spawn(node, ["-e", "0"], { env, stdio: "ignore" }), "close");
  return performance.now() - start;
}

async function timeStore(env: NodeJS.ProcessEnv, args: readonly string[]): Promise<number> {
  const port = await freePort();
  const start = performance.now();
  const serve = [script, "serve", "--port", String(port), ...args];
  const child = spawn(node, serve, { env, stdio: "ignore" });
  const closed = once(child, "close");
  while ((await statusOf(port)) === undefined)
    await new Promise((resolve) => setTimeout(resolve, probeMs));
  const ms = performance.now() - start;
  child.kill();
  await closed;
  return ms;
}

/** Returns the status of the reply to a list without a key; undefined while nothing listens. */
function statusOf(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const asked = request({ port, host: "127.0.0.1", path: "/v1/pets", agent: false });
    asked.on("error", () => resolve(undefined));
    asked.on("response", (reply) => {
      reply.resume();
      resolve(reply.statusCode);
    });
    asked.end();
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
