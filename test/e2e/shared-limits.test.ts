import { writeFileSync } from "node:fs";
import https from "node:https";
import net from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeCertificate } from "../client/support/certificate.ts";
import { type Followed, followPets } from "../support/program/followed.ts";
import { envFor, runPets, temporaryFolder } from "../support/program/program.ts";
import { type PacedService, startPaced } from "../support/servers/paced.ts";

const second = 1000;

/** Returns the headers for a window of 10 requests that ends at `resetAt`, in ms since the epoch. */
function limitHeaders(remaining: number, resetAt: number): Record<string, string> {
  return {
    "x-ratelimit-limit": "10",
    "x-ratelimit-remaining": `${remaining}`,
    "x-ratelimit-reset": `${resetAt / second}`,
  };
}

/** Returns the first whole second at least `ms` from now, in ms since the epoch. */
const wholeSecondIn = (ms: number): number => Math.ceil((Date.now() + ms) / second) * second;

/** Returns how many requests arrived before a time, in ms since the epoch. */
function sentBefore(moment: number, { arrivals }: PacedService): number {
  const startedAt = Date.now() - performance.now();
  return arrivals.filter(({ at }) => startedAt + at < moment - 1).length;
}

const startMany = (count: number, env: Record<string, string>): readonly Followed[] =>
  Array.from({ length: count }, () => followPets(["list", "-v"], { env }));

/** Resolves when the output of `count` runs matches. */
async function manySaw(runs: readonly Followed[], pattern: RegExp, count: number): Promise<void> {
  let seen = 0;
  for (const run of runs)
    run.saw(pattern).then(
      () => (seen += 1),
      () => {},
    );
  await expect.poll(() => seen).toBeGreaterThanOrEqual(count);
}

const codes = async (runs: readonly Followed[]): Promise<readonly unknown[]> =>
  (await Promise.all(runs.map(({ end }) => end))).map(({ code }) => code);

describe("limits that one process has seen", () => {
  it("hold the others until the reset if nothing is left", async () => {
    let resetAt = 0;
    const service = await startPaced((arrival, n) => {
      if (n === 0) resetAt = wholeSecondIn(1500);
      arrival.answer(200, n === 0 ? limitHeaders(0, resetAt) : {});
    });
    const env = envFor(service);
    const runs = [await runPets(["list"], { env })];
    runs.push(await runPets(["list", "--max-wait", "20s"], { env }));
    const many = startMany(4, env);
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    expect(await codes(many)).toEqual([0, 0, 0, 0]);
    expect(service.arrivals).toHaveLength(6);
    expect(sentBefore(resetAt, service)).toBe(1);
  });

  it("admit only as many requests as are left, and the rest after the reset", async () => {
    let resetAt = 0;
    const service = await startPaced((arrival, n) => {
      if (n === 0) resetAt = wholeSecondIn(2000);
      const limits = (): Record<string, string> =>
        Date.now() < resetAt
          ? limitHeaders(Math.max(0, 3 - n), resetAt)
          : limitHeaders(Math.max(0, 14 - n), resetAt + 60 * second);
      // Long enough for all to ask while the first ones are in flight.
      if (n === 0) arrival.answer(200, limits());
      else setTimeout(() => arrival.answer(200, limits()), 500);
    });
    const env = envFor(service);
    expect(await runPets(["list"], { env })).toMatchObject({ code: 0 });
    expect(await codes(startMany(6, env))).toEqual(Array.from({ length: 6 }, () => 0));
    expect(service.arrivals).toHaveLength(7);
    expect(sentBefore(resetAt, service)).toBeLessThanOrEqual(4);
  });

  it("are learned by five while the others wait, even on the first start", async () => {
    const service = await startPaced(() => {});
    const env = envFor(service);
    const runs = startMany(8, env);
    await manySaw(runs, /the limits are not known yet/, 3);
    await service.came(5);
    expect(service.arrivals).toHaveLength(5);
    for (let n = 0; n < 8; n += 1) {
      await service.came(n + 1);
      service.arrivals[n]?.answer(200);
    }
    const ends = await Promise.all(runs.map(({ end }) => end));
    expect(ends.map(({ code }) => code)).toEqual(runs.map(() => 0));
    expect(ends.filter(({ stderr }) => stderr.includes("not shared"))).toEqual([]);
    expect(service.mostAtOnce).toBe(5);
  });
});

describe("a request that is still connecting", () => {
  it("is not sent if another has to wait in the meantime", async () => {
    const certificate = makeCertificate("IP:127.0.0.1");
    const arrivals: { readonly url: string; readonly at: number }[] = [];
    let refusedAt = Number.NaN;
    const service = https.createServer(certificate, (request, response) => {
      arrivals.push({ url: request.url ?? "", at: performance.now() });
      if (arrivals.length > 1)
        response.writeHead(200, { "content-type": "application/json" }).end("[]");
      else {
        refusedAt = performance.now();
        response.writeHead(429, { "retry-after": "2" }).end();
      }
    });
    await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
    // The test decides when the first connection reaches the service.
    const held = Promise.withResolvers<() => void>();
    const sockets: net.Socket[] = [];
    const proxy = net.createServer((socket) => {
      socket.on("error", () => {});
      sockets.push(socket);
      const enter = (): void => {
        const { port } = service.address() as net.AddressInfo;
        const inner = net.connect(port, "127.0.0.1").on("error", () => {});
        socket.pipe(inner).pipe(socket);
      };
      if (sockets.length === 1) held.resolve(enter);
      else enter();
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      service.closeAllConnections();
      service.close();
    });
    const authority = path.join(temporaryFolder(), "authority.pem");
    writeFileSync(authority, certificate.cert);
    const { port } = proxy.address() as net.AddressInfo;
    const env = {
      ...envFor({ baseUrl: `https://127.0.0.1:${port}/v1` }),
      NODE_EXTRA_CA_CERTS: authority,
    };
    const slow = followPets(["list", "-v", "--limit", "1"], { env });
    const enter = await held.promise;
    const quick = followPets(["list", "-v", "--limit", "2"], { env });
    await quick.saw(/^waiting /m);
    enter();
    await slow.saw(/^waiting [^\n]*to an earlier request\n/m);
    expect(await codes([slow, quick])).toEqual([0, 0]);
    expect(arrivals[0]?.url).toContain("limit=2");
    expect(arrivals.map(({ url }) => url.slice(-1)).toSorted()).toEqual(["1", "2", "2"]);
    for (const { at } of arrivals.slice(1)) expect(at - refusedAt).toBeGreaterThanOrEqual(2000);
  });
});
