import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { hasNamespaces, inNamespace } from "../support/program/namespace.ts";
import { cleanEnv, finished, runPets, script, testKey } from "../support/program/program.ts";

type Setup = Parameters<typeof inNamespace>[1];

/** Starts the built program in a network where only what `setup` says responds, over http: with a key. */
function startApart(args: readonly string[], setup?: Setup, env: Record<string, string> = {}) {
  const pets = [process.execPath, script, ...args, "--allow-http"];
  const [command, ...words] = inNamespace(pets, setup);
  const child = spawn(command, words, { env: { ...cleanEnv(), PETS_API_KEY: testKey, ...env } });
  const start = performance.now();
  return { child, end: finished(child).then((run) => ({ ...run, ms: performance.now() - start })) };
}

describe.runIf(hasNamespaces())("a name server that does not respond", () => {
  const list = ["list", "--base-url", "http://store.example/v1"];
  const proxied = ["list", "--base-url", "https://10.9.9.1/v1"];
  // The look-up itself takes a minute: 30 s for each of two tries.
  it.each([
    ["", list, {}, "store.example"],
    ["of a proxy", proxied, { https_proxy: "http://p.example:1" }, "the proxy http://p.example:1"],
  ] as const)("is named in time, and the exit does not wait: %s", async (_what, args, env, who) => {
    const run = await startApart([...args, "--timeout", "0.3"], undefined, env).end;
    expect(run).toMatchObject({ code: 6, signal: null, stdout: "" });
    expect(run.stderr).toContain(who);
    expect(run.stderr).toMatch(
      /is unreachable: host name lookup timed out \(tried 4 times\)\nCheck the network, and the name server of this machine\.\n$/,
    );
    expect(run.ms).toBeLessThan(50_000);
  });

  it.each(["SIGINT", "SIGTERM"] as const)("does not delay %s", async (signal) => {
    const { child, end } = startApart([...list, "--verbose"]);
    await once(child.stderr, "data");
    const start = performance.now();
    child.kill(signal);
    expect(await end).toMatchObject({ signal });
    expect(performance.now() - start).toBeLessThan(50_000);
  });

  it("of the limiter does not delay the exit", async () => {
    const near = ["list", "--json", "--base-url", "http://127.0.0.1:8080/v1"];
    const run = await startApart(near, {}, { PETS_LIMITER: "redis://limiter.example" }).end;
    expect(run).toMatchObject({ code: 0, stdout: "[]\n" });
    expect(run.stderr).toContain("cannot be used (it did not respond within 1 s)");
    expect(run.ms).toBeLessThan(50_000);
  });
});

describe.runIf(hasNamespaces())("an address that does not respond", () => {
  const list = ["list", "--json", "--verbose", "--base-url", "http://store.example:8080/v1"];
  const [dead, other] = ["fd99::9 store.example", "127.0.0.2 store.example"];
  it.each([
    ["the next of its name", [dead, other], 0],
    ["a slow one", [dead, other], 2700],
    ["a slow one alone", [other], 900],
  ] as const)("costs two seconds, then the next is tried: %s", async (_what, hosts, busyMs) => {
    const run = await startApart(list, { hosts, busyMs }).end;
    expect(run).toMatchObject({ code: 0, stdout: "[]\n" });
    expect(run.stderr.match(/ 200 /g)).toHaveLength(1);
    expect(run.stderr).not.toMatch(/unreachable|tried/);
  });

  it("leaves time for the next within --timeout", async () => {
    const run = await startApart([...list, "--timeout", "1.5"], { hosts: [dead, other] }).end;
    expect(run).toMatchObject({ code: 0, stdout: "[]\n" });
  });
});

it("Node.js without WebAssembly is named", async () => {
  const env = { ...cleanEnv(), PETS_API_KEY: testKey, NODE_OPTIONS: "--jitless" };
  const list = ["list", "--base-url", "http://127.0.0.1:1/v1"];
  expect(await runPets(list, { env })).toMatchObject({
    code: 2,
    stdout: "",
    // Node.js 22 has a warning of its own before it.
    stderr: expect.stringContaining(
      "pets: Node.js runs with --jitless, and no request can be sent without WebAssembly\nRemove --jitless from NODE_OPTIONS.\n",
    ),
  });
});
