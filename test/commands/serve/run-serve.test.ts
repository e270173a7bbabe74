import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCli } from "../../../src/cli/run-cli.ts";
import type { Context } from "../../../src/commands/context.ts";
import type { Runtime } from "../../../src/commands/runtime.ts";
import { readyJson, readyText } from "../../../src/commands/serve/run-serve.ts";
import { BrokenPipe } from "../../../src/core/errors.ts";
import type { TerminationSignal, Output } from "../../../src/platform/io.ts";
import { systemClock } from "../../support/command/machine.ts";
import { makeRuntime } from "../../support/command/runtime.ts";

type Hear = ((signal: TerminationSignal) => void) | undefined;

/** Runs `pets serve --memory --json` in this process; `write` gets its one line. */
function startServe(write: Output["write"] = async () => {}) {
  let hear: Hear;
  const exited = Promise.withResolvers<NodeJS.Signals>();
  const ready = Promise.withResolvers<{ readonly port: number; readonly apiKey: string }>();
  const { runtime, stderr } = makeRuntime();
  const world: Runtime = {
    ...runtime,
    argv: ["serve", "--memory", "--json", "--port", "0"],
    stdout: {
      isTTY: false,
      columns: undefined,
      write: (text) => {
        const { baseUrl, apiKey } = JSON.parse(text);
        ready.resolve({ port: Number(new URL(baseUrl).port), apiKey });
        return write(text);
      },
    },
    clock: systemClock,
    interceptSignals: (listener) => {
      hear = listener;
      return () => (hear = undefined);
    },
    exitNow: exited.resolve,
  };
  const code = runCli(world);
  return { code, ready: ready.promise, exited: exited.promise, stderr, hear: (): Hear => hear };
}

/** Starts a request whose body never ends; resolves once the store reads it. */
async function stuckRequest(port: number, apiKey: string): Promise<void> {
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  onTestFinished(() => void socket.destroy());
  const lines = ["POST /v1/pets HTTP/1.1", "Host: localhost", `Authorization: Bearer ${apiKey}`];
  const body = ["Expect: 100-continue", "Content-Length: 9", "", ""];
  socket.write([...lines, ...body].join("\r\n"));
  await once(socket, "data");
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", () => resolve(false)).once("connect", () => resolve(true));
    socket.once("connect", () => socket.destroy());
  });

it("stops and releases the signals if nobody reads its output", async () => {
  const serve = startServe(() => Promise.reject(new BrokenPipe()));
  expect(await serve.code).toBe(0);
  expect(await isListening((await serve.ready).port)).toBe(false);
  expect(serve.hear()).toBeUndefined();
  expect(serve.stderr.text).toMatch(/^Saved .+\n$/);
});

it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "waits for a request after the first signal, and exits at a second: %s",
  async (signal) => {
    const serve = startServe();
    const { port, apiKey } = await serve.ready;
    await stuckRequest(port, apiKey);
    serve.hear()?.("SIGTERM");
    await expect.poll(() => isListening(port)).toBe(false);
    expect(await Promise.race([serve.code, Promise.resolve("still there")])).toBe("still there");
    serve.hear()?.(signal);
    expect(await serve.exited).toBe(signal);
  },
);

const context = { machine: { pid: 7 } } as unknown as Context;
const first = { apiKey: "pets_0123456789", plan: "free" };
const service = (data: string) => ({
  baseUrl: "http://127.0.0.1:4010/v1",
  keys: [first, { apiKey: "pets_9876543210", plan: "enterprise" }] as const,
  data,
  page: "http://127.0.0.1:4010/#token",
});
const odd = "/tmp/\u202e\u009b\u007f\n.db";

describe("the banner of pets serve", () => {
  it("is one exact line of JSON without control characters", () => {
    const line = readyJson(service(odd), context);
    expect(JSON.parse(line)).toEqual({
      baseUrl: "http://127.0.0.1:4010/v1",
      ...first,
      keys: service("").keys,
      data: odd,
      page: "http://127.0.0.1:4010/#token",
      pid: 7,
    });
    expect(line).toMatch(/^[\x20-\x7e]+\n$/);
  });

  it("has one line per item for people, with plans in words", () => {
    expect(readyText(service(odd), "pets list", undefined)).toBe(
      String.raw`The store is ready at http://127.0.0.1:4010/v1
Key   pets_0123456789 (id 00bcab8d23e6fe22, plan free: 60 requests per minute, 1,000 per day)
Key   pets_9876543210 (id d8e2c75bf1e7dd65, plan enterprise: unlimited)
Data  /tmp/\u202e\x9b\x7f\n.db
Try   pets list
Page  http://127.0.0.1:4010/#token
`,
    );
  });

  it("masks a key from the environment", () => {
    const told = readyText(service("memory"), "pets list", {
      apiKey: first.apiKey,
      variable: "PETS_SERVE_KEY",
      from: "from PETS_SERVE_KEY",
    });
    expect(told).toContain("Key   …6789 from PETS_SERVE_KEY (id 00bcab8d23e6fe22, plan free");
    expect(told).toContain("Key   pets_9876543210 ");
    expect(told).toContain("Data  in memory (discarded on exit)\n");
  });
});
