import https from "node:https";
import net from "node:net";
import tls from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeCertificate } from "../support/certificate.ts";
import { connect, failureOf, listen, rex, rexPet, serve } from "../support/service.ts";

const newPet = { name: "Rex", categoryId: 2n };
const mine = makeCertificate("IP:127.0.0.1");
const trusted = tls.getCACertificates("default");

const serveTls = (seen: unknown[] = []) =>
  https.createServer(mine, (request, response) => {
    seen.push(request.method);
    response.end(JSON.stringify(rex));
  });

describe("https", () => {
  beforeEach(() => tls.setDefaultCACertificates([...trusted, String(mine.cert)]));
  afterEach(() => tls.setDefaultCACertificates(trusted));

  it("works with a certificate that is trusted, over HTTP/1.1", async () => {
    await using service = await listen(serveTls(), "https:");
    const { api } = connect(service.baseUrl);
    expect((await api.get(1n)).pet).toEqual(rexPet);
    expect(await api.add(newPet)).toEqual(rexPet);
  });

  it.each(["list", "add"] as const)("rejects a self-signed certificate: %s", async (operation) => {
    tls.setDefaultCACertificates(trusted);
    const seen: unknown[] = [];
    await using service = await listen(serveTls(seen), "https:");
    const { api, waits } = connect(service.baseUrl);
    const failure = await failureOf(operation === "add" ? api.add(newPet) : api.list({}));
    expect(failure).toMatchObject({ kind: "unreachable", code: "network" });
    expect(failure.facts).toMatchObject({ attempts: 1, retryable: false });
    // Node's own advice is for users of Node.
    expect(failure.message).toMatch(/ is not accepted: self-signed certificate$/);
    expect(failure.hints.join(" ")).toContain("NODE_EXTRA_CA_CERTS");
    expect([seen, waits]).toEqual([[], []]);
  });

  it.each([
    ["TLSv1.3", "requires a client certificate"],
    ["TLSv1.2", "failed the TLS handshake"],
  ] as const)(
    "sends no animal to a gateway that wants a certificate: %s",
    async (version, what) => {
      const wants = { requestCert: true, rejectUnauthorized: true, maxVersion: version };
      const seen: unknown[] = [];
      const gateway = https.createServer({ ...mine, ...wants }, ({ method }) => seen.push(method));
      await using service = await listen(gateway, "https:");
      const { api } = connect(service.baseUrl);
      const adding = Array.from({ length: 20 }, () => failureOf(api.add(newPet)));
      for (const failure of await Promise.all(adding)) {
        expect(failure).toMatchObject({ kind: "unreachable", facts: { retryable: false } });
        expect(failure.message).toContain(what);
      }
      expect(seen).toEqual([]);
    },
  );

  it("reports a service that does not speak TLS", async () => {
    await using service = await serve([200, rex]);
    const url = new URL(service.baseUrl.href.replace("http:", "https:"));
    const failure = await failureOf(connect(url).api.add(newPet));
    expect(failure).toMatchObject({ kind: "unreachable", facts: { attempts: 1 } });
    expect(failure.message).toContain("failed the TLS handshake");
  });

  it("counts a broken handshake as never sent", async () => {
    const server = net.createServer((socket) =>
      socket.once("data", () => socket.resetAndDestroy()),
    );
    await using service = await listen(server, "https:");
    const failure = await failureOf(connect(service.baseUrl).api.add(newPet));
    expect(failure).toMatchObject({ kind: "unreachable", facts: { attempts: 4, retryable: true } });
  });
});
