import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import net from "node:net";
import tls from "node:tls";
import zlib from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { expire, makeCertificate } from "../support/certificate.ts";
import { connect, failureOf, listen, rex } from "../support/service.ts";

const here = "DNS:pets.example,IP:127.0.0.1";
const trusted = makeCertificate(here);
const other = makeCertificate("DNS:other.example");
const expired = expire(trusted);
const authorities = tls.getCACertificates("default");

beforeAll(() => {
  const own = [trusted, other, expired].map(({ cert }) => String(cert));
  tls.setDefaultCACertificates([...authorities, ...own]);
});
afterAll(() => tls.setDefaultCACertificates(authorities));

type Reply = http.RequestListener;
const list: Reply = (_request, response) => void response.end(JSON.stringify([rex]));
const secure = (options: https.ServerOptions = trusted) => https.createServer(options, list);
const plain = (reply: Reply = list) => http.createServer(reply);
const old = {
  ...trusted,
  minVersion: "TLSv1",
  maxVersion: "TLSv1.1",
  ciphers: "DEFAULT@SECLEVEL=0",
} as const;
const packed: Reply = (_request, response) =>
  void response.setHeader("content-encoding", "gzip").end(zlib.gzipSync("[]"));
const talkative: Reply = (_request, response) =>
  void response.setHeader("x-trace", "y".repeat(20_000)).end("[]");
const banned: Reply = (_request, response) =>
  void response.writeHead(403, { "retry-after": "3600" }).end();
const silent = () => net.createServer();
const ssh = () => net.createServer((socket) => socket.end("SSH-2.0\r\n"));
const closing = () => {
  const server = net.createServer();
  return server.once("listening", () => setImmediate(() => server.close()));
};
/** A proxy that replies to CONNECT with these bytes, which may go on behind the head. */
const proxy = (reply: string) =>
  http.createServer().on("connect", (_request, socket) => {
    socket.on("error", () => {});
    socket.write(`HTTP/1.1 ${reply}`);
  });

const authority =
  "To trust the certificate authorities of the system, set NODE_USE_SYSTEM_CA=1. For a private one, set NODE_EXTRA_CA_CERTS to its file.";
const noClient = "pets has none: ask its operator for an address without.";
const onlyNew = "pets uses HTTP/1.1: its operator must allow that as well.";
const noTls = "Check the base URL: is it an http: address?";
const address = "Check the proxy's address: http: or https:, host, port.";
const more = "Allow more time with `--timeout`, or try again later.";
const encode = "Percent-encode special characters in its password: # is %23, @ is %40, / is %2F.";

/** The cause, the server that has it, how the client comes to it, and the first line and the hints that name it. */
const causes: readonly (readonly [string, () => net.Server, string, string, string])[] = [
  [
    "an expired certificate",
    () => secure(expired),
    "https",
    "the certificate of HOST is not accepted: certificate has expired",
    "Check the clock of this machine, then ask its operator to renew it.",
  ],
  [
    "a certificate for another host",
    () => secure(other),
    "https",
    "the certificate of HOST is not accepted: Hostname/IP does not match certificate's altnames: IP: 127.0.0.1 is not in the cert's list",
    "Check the host name in the base URL.",
  ],
  [
    "an unknown authority",
    () => secure(makeCertificate(here)),
    "https",
    "the certificate of HOST is not accepted: self-signed certificate",
    authority,
  ],
  [
    "TLS too old",
    () => secure(old),
    "https",
    "HOST failed the TLS handshake (ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION)",
    "Its operator must enable TLS 1.2 or later.",
  ],
  [
    "a client certificate that is required",
    () => secure({ ...trusted, requestCert: true, rejectUnauthorized: true }),
    "https",
    "HOST requires a client certificate",
    noClient,
  ],
  [
    "only HTTP/2, over TLS",
    () => http2.createSecureServer(trusted),
    "https",
    "HOST speaks only HTTP/2",
    onlyNew,
  ],
  ["only HTTP/2", () => http2.createServer(), "http", "HOST speaks only HTTP/2", onlyNew],
  [
    "no TLS",
    () => plain(),
    "https",
    "HOST failed the TLS handshake (ERR_SSL_WRONG_VERSION_NUMBER)",
    noTls,
  ],
  [
    "a compressed response",
    () => plain(packed),
    "http",
    "HOST sent a compressed response",
    "The service, or a proxy before it, must not compress its response.",
  ],
  [
    "headers that are too long",
    () => plain(talkative),
    "http",
    "HOST sent a response with headers over 16 KiB",
    "The service, or a proxy before it, must send shorter headers.",
  ],
  [
    "403 with Retry-After",
    () => plain(banned),
    "http",
    "HOST responded with 403 Forbidden",
    "Try again at TIME.",
  ],
  [
    "a proxy that hangs",
    silent,
    "http proxy",
    "pets.example is unreachable through the proxy http://HOST (https_proxy): connection timed out (tried 4 times)",
    `Is the proxy running? ${more}`,
  ],
  [
    "a proxy that is not there",
    closing,
    "http proxy",
    "the proxy http://HOST (https_proxy) is unreachable: connection refused (tried 4 times)",
    address,
  ],
  [
    "a proxy that speaks no HTTP",
    ssh,
    "http proxy",
    "the proxy http://HOST (https_proxy) is unreachable: its response is not HTTP (tried 4 times)",
    address,
  ],
  [
    "a proxy without TLS",
    () => proxy("200 x\r\n\r\n"),
    "https proxy",
    "the proxy https://HOST (https_proxy) failed the TLS handshake (EPROTO)",
    address,
  ],
  [
    "a proxy of an unknown authority",
    () => secure(makeCertificate(here)),
    "https proxy",
    "the certificate of the proxy https://HOST (https_proxy) is not accepted: self-signed certificate",
    authority,
  ],
  [
    "a proxy that rejects the password",
    () => proxy("407 x\r\n\r\n"),
    "http proxy",
    "the proxy http://HOST (https_proxy) refused to connect to pets.example:443: 407 Proxy Authentication Required",
    `Check the proxy's user and password. ${encode}`,
  ],
  [
    "a proxy that fails for now",
    () => proxy("500 x\r\n\r\n"),
    "http proxy",
    "the proxy http://HOST (https_proxy) refused to connect to pets.example:443: 500 Internal Server Error (tried 4 times)",
    "Check the base URL and the network.",
  ],
  [
    "a proxy that adds bytes",
    () => proxy("200 x\r\n\r\n\n"),
    "http proxy",
    "the proxy http://HOST (https_proxy) sent data behind its response to pets.example:443: 200 OK",
    address,
  ],
  [
    "a proxy that then hangs up",
    () => proxy("200 x\r\n\r\n"),
    "http proxy",
    "pets.example is unreachable through the proxy http://HOST (https_proxy): connection timed out (tried 4 times)",
    `Is the proxy running? ${more}`,
  ],
];

it.each(causes)("%s is named, with what to do", async (_cause, server, way, line, hint) => {
  const [scheme, isProxy] = way.split(" ");
  await using service = await listen(server(), `${scheme}:`);
  const env = { https_proxy: `${scheme}://u:secret@127.0.0.1:${service.port}` };
  const url = isProxy ? new URL("https://pets.example/v1") : service.baseUrl;
  const timeoutMs = hint.startsWith("Is the proxy") ? 60 : 5000;
  const failure = await failureOf(connect(url, { env, timeoutMs }).api.list({}));
  const known = (text: string): string =>
    text.replaceAll(service.baseUrl.host, "HOST").replaceAll(/\d\d:\d\d/g, "TIME");
  expect([known(failure.message), known(failure.hints.join(" "))]).toEqual([line, hint]);
});
