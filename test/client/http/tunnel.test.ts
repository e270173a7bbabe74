import http from "node:http";
import https from "node:https";
import net from "node:net";
import tls from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeCertificate } from "../support/certificate.ts";
import { connect, failureOf, listen, rex, rexPet, serve } from "../support/service.ts";

const newPet = { name: "Rex", categoryId: 2n };
const certificate = makeCertificate("DNS:pets.example,IP:127.0.0.1");
const trusted = tls.getCACertificates("default");

beforeAll(() => tls.setDefaultCACertificates([...trusted, String(certificate.cert)]));
afterAll(() => tls.setDefaultCACertificates(trusted));

/** Starts a proxy that connects every CONNECT to `service`; with `login`, only for clients that send it. */
async function serveProxy(
  service: { readonly port: number },
  options: { login?: string; status?: number; tls?: boolean } = {},
) {
  const asked: Record<"target" | "authorization", string | undefined>[] = [];
  const server = options.tls ? https.createServer(certificate) : http.createServer();
  server.on("request", (_request, response: http.ServerResponse) => response.writeHead(500).end());
  server.on("connect", (request: http.IncomingMessage, socket: net.Socket) => {
    const authorization = request.headers["proxy-authorization"];
    asked.push({ target: request.url, authorization });
    socket.on("error", () => {});
    const expected = options.login && `Basic ${Buffer.from(options.login).toString("base64")}`;
    const status = authorization === expected ? (options.status ?? 200) : 407;
    socket.write(`HTTP/1.1 ${status} x\r\n\r\n`);
    if (status !== 200) return socket.end("<html>no</html>");
    const onward = net.connect(service.port, "127.0.0.1");
    onward.on("error", () => socket.destroy());
    socket.on("close", () => onward.destroy());
    return onward.pipe(socket).pipe(onward);
  });
  return { ...(await listen(server, options.tls ? "https:" : "http:")), asked };
}

const far = (protocol: string) => new URL(`${protocol}//pets.example/v1`);

describe("a proxy", () => {
  it("connects to http: by CONNECT", async () => {
    await using service = await serve([200, rex]);
    await using proxy = await serveProxy(service);
    const env = { http_proxy: `127.0.0.1:${proxy.port}` };
    const { api } = connect(far("http:"), { env });
    expect((await api.get(1n)).pet).toEqual(rexPet);
    expect(proxy.asked).toEqual([{ target: "pets.example:80", authorization: undefined }]);
    expect(service.requests[0]).toMatchObject({
      url: "/v1/pets/1",
      headers: { host: "pets.example" },
    });
    expect(service.requests[0]?.headers).not.toHaveProperty("proxy-authorization");
  });

  it.each([false, true])("connects to https:, itself with TLS: %s", async (secure) => {
    const server = https.createServer(certificate, (_request, response) => {
      response.end(JSON.stringify(rex));
    });
    await using service = await listen(server, "https:");
    await using proxy = await serveProxy(service, { tls: secure, login: "us er:pä:ss" });
    const scheme = secure ? "https" : "http";
    const env = { HTTPS_PROXY: `${scheme}://us%20er:p%C3%A4%3Ass@127.0.0.1:${proxy.port}` };
    const { api } = connect(far("https:"), { env });
    expect((await api.get(1n)).pet).toEqual(rexPet);
    expect(await api.add(newPet)).toEqual(rexPet);
    expect(proxy.asked[0]?.target).toBe("pets.example:443");
  });

  it.each<[number, number]>([
    [407, 1],
    [403, 1],
    [404, 1],
    [301, 1],
    [502, 4],
    [503, 4],
  ])("that answers %i is named without its password; %i sends", async (status, attempts) => {
    await using service = await serve([200, rex]);
    await using proxy = await serveProxy(service, { status, login: "user:secret" });
    const env = { all_proxy: `http://user:secret@127.0.0.1:${proxy.port}` };
    for (const operation of ["list", "add"] as const) {
      const { api } = connect(far("https:"), { env });
      const failure = await failureOf(operation === "add" ? api.add(newPet) : api.list({}));
      expect(failure).toMatchObject({ kind: "unreachable", code: "network" });
      expect(failure.facts).toMatchObject({ attempts, retryable: true });
      expect(failure.message).toContain(`${proxy.baseUrl.origin} (all_proxy)`);
      expect(failure.message).toContain(String(status));
      expect(JSON.stringify([failure.message, failure.hints])).not.toMatch(/secret|dXNlcj/);
    }
    expect(service.requests).toEqual([]);
  });
});
