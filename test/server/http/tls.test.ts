import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import tls from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { serverTimes } from "../../../src/server/http/server.ts";
import { readTls } from "../../../src/server/http/tls.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import {
  startTestStore,
  type TestStore,
  type TestStoreOptions,
} from "../../support/servers/store.ts";
import { openssl, tlsFiles } from "../../support/servers/tls.ts";
import { head, openClient } from "../../support/servers/wire.ts";

/** Makes a file with this content. */
function fileOf(content: string | Buffer): string {
  const file = path.join(temporaryFolder(), "file.pem");
  writeFileSync(file, content);
  return file;
}

async function startTlsStore(options: TestStoreOptions["options"] = {}) {
  const identity = readTls(tlsFiles());
  const store = await startTestStore({ options: { tls: identity, ...options } });
  return { ...store, ca: identity.cert };
}

type TlsStore = TestStore & { readonly ca: Buffer };

/** Opens a connection over TLS that ignores errors, and waits for its handshake. */
async function connectTls({ port, ca }: TlsStore, options: tls.ConnectionOptions = {}) {
  const socket = tls.connect({ port, host: "127.0.0.1", ca, ...options });
  onTestFinished(() => void socket.destroy());
  await once(socket, "secureConnect");
  return socket.on("error", () => {});
}

/** Returns whether the store lists its animals over TLS. */
async function isListing(store: TlsStore): Promise<boolean> {
  const socket = await connectTls(store);
  socket.write(head(store, "GET /v1/pets"));
  return String(await once(socket, "data")).startsWith("HTTP/1.1 200 OK\r\n");
}

describe("readTls", () => {
  it("accepts a self-signed certificate", () => {
    const files = tlsFiles();
    expect(readTls(files)).toMatchObject({ isSelfSigned: true, cert: readFileSync(files.cert) });
  });

  it.each([
    ["DNS:pets.test", "127.0.0.1", "pets.test"],
    ["DNS:*.test,DNS:pets.test,DNS:localhost", "localhost", "localhost"],
    ["DNS:*.test,DNS:pets.test", "127.0.0.1", "pets.test"],
    ["DNS:pets.test,DNS:localhost", "127.0.0.1", "localhost"],
    ["IP:::1", "127.0.0.1", "[0:0:0:0:0:0:0:1]"],
    ["IP:::1", "[::1]", "[::1]"],
    ["DNS:*.test", "127.0.0.1", "127.0.0.1"],
    ["DNS:*.test", "pets.test", "pets.test"],
  ])("names a host that a certificate for %s has, for %s", (names, host, expected) => {
    expect(readTls(tlsFiles(names)).hostFor(host)).toBe(expected);
  });

  it("names the host of the subject if a certificate has no other names", () => {
    const [cert, key] = [fileOf(""), fileOf("")];
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    openssl("req", "-x509", ...curve, "-subj", "/O=x/CN=localhost", "-keyout", key, "-out", cert);
    expect(readTls({ cert, key }).hostFor("127.0.0.1")).toBe("localhost");
  });

  it("accepts a chain, the store's own certificate first", () => {
    const folder = temporaryFolder();
    const [ca, leaf] = [tlsFiles("DNS:ca"), tlsFiles()];
    const chain = path.join(folder, "chain.pem");
    openssl("x509", "-in", leaf.cert, "-CA", ca.cert, "-CAkey", ca.key, "-out", chain);
    const own = readFileSync(chain);
    writeFileSync(chain, Buffer.concat([own, readFileSync(ca.cert)]));
    expect(readTls({ cert: chain, key: leaf.key })).toMatchObject({ isSelfSigned: false });
    writeFileSync(chain, Buffer.concat([readFileSync(ca.cert), own]));
    expect(() => readTls({ cert: chain, key: leaf.key })).toThrow(
      "the key is not that of the certificate",
    );
  });

  it.each<[string, "io" | "usage", string, (files: ReturnType<typeof tlsFiles>) => object]>([
    ["no certificate file", "io", "--tls-cert", () => ({ cert: "/nowhere/cert.pem" })],
    ["no key file", "io", "--tls-key", () => ({ key: "/nowhere/key.pem" })],
    ["an empty certificate", "usage", "cannot be used", () => ({ cert: fileOf("") })],
    ["the key as certificate", "usage", "cannot be used", ({ key }) => ({ cert: key })],
    ["the certificate as key", "usage", "cannot be used", ({ cert }) => ({ key: cert })],
    ["another key", "usage", "the key is not that", () => ({ key: tlsFiles().key })],
    [
      "a key of another type",
      "usage",
      "the key is not that of the certificate",
      () => {
        const file = fileOf("");
        openssl("genpkey", "-algorithm", "RSA", "-out", file);
        return { key: file };
      },
    ],
    [
      "a key with a passphrase",
      "usage",
      "cannot be used",
      ({ key }) => {
        const file = fileOf("");
        openssl("pkey", "-in", key, "-aes256", "-passout", "pass:secret", "-out", file);
        return { key: file };
      },
    ],
  ])("refuses %s (%s)", (_what, kind, message, change) => {
    const files = tlsFiles();
    const read = () => readTls({ ...files, ...change(files) });
    expect(read).toThrow(expect.objectContaining({ kind }));
    expect(read).toThrow(message);
  });

  it("tells why a certificate is rejected, at its first and last moment", () => {
    const files = tlsFiles();
    const { validFrom, validTo } = new X509Certificate(readFileSync(files.cert));
    const [start, end] = [validFrom, validTo].map((text) => Date.parse(text));
    const [, first] = /^([^T]+)T/.exec(new Date(start ?? 0).toISOString()) ?? [];
    const { rejectedAt } = readTls(files);
    expect(rejectedAt(Number(start) - 1)).toContain(`cert.pem is only valid from ${first}`);
    expect([rejectedAt(Number(start)), rejectedAt(Number(end))]).toEqual([undefined, undefined]);
    expect(rejectedAt(Number(end) + 1)).toMatch(/cert\.pem expired at .*: clients reject it$/);
  });

  it.each([
    ["after the parameters of its curve", "ecparam -name prime256v1 -genkey -out"],
    ["in PKCS #8", "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out"],
  ])("accepts a key %s", (_what, words) => {
    const folder = temporaryFolder();
    const [key, cert] = [path.join(folder, "key.pem"), path.join(folder, "cert.pem")];
    openssl(...words.split(" "), key);
    openssl("req", "-x509", "-new", "-key", key, "-subj", "/CN=pets", "-out", cert);
    writeFileSync(cert, Buffer.concat([readFileSync(cert), readFileSync(key)]));
    expect(readTls({ cert, key: cert })).toMatchObject({ isSelfSigned: true });
  });
});

describe("TLS", () => {
  it("speaks 1.2 and 1.3, and nothing older", async () => {
    const store = await startTlsStore();
    const versions = ["TLSv1.2", "TLSv1.3"] as const;
    for (const version of versions) {
      const socket = await connectTls(store, { minVersion: version, maxVersion: version });
      expect(socket.getProtocol()).toBe(version);
    }
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1" } as const;
    const ciphers = "DEFAULT:@SECLEVEL=0";
    await expect(connectTls(store, { ...old, ciphers })).rejects.toThrow(/version|alert/);
    expect(await isListing(store)).toBe(true);
  });

  it("closes a connection that is not TLS, and continues", async () => {
    const store = await startTlsStore();
    for (const text of [
      "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
      "\x16\x03\x01\x00\x04\x63\x00\x00\x00",
    ]) {
      const { socket, closed } = await openClient(store);
      socket.write(text);
      await closed;
    }
    expect(await isListing(store)).toBe(true);
    expect(store.faults).toEqual([]);
  });

  it("does not hold up a stop by a handshake that never begins, or never ends", async () => {
    const times = { ...serverTimes, handshakeTimeout: 100_000 };
    const store = await startTlsStore({ times });
    const socket = await connectTls(store);
    const [silent, half] = [await openClient(store), await openClient(store)];
    half.socket.write("\x16\x03\x01\x02\x00");
    expect(await isListing(store)).toBe(true);
    const begun = performance.now();
    await store.close(100_000);
    await Promise.all([silent.closed, half.closed]);
    socket.destroy();
    // Otherwise it would take the time that a handshake, or requests in flight, get.
    expect(performance.now() - begun).toBeLessThan(60_000);
  });

  it("does not wait forever for a handshake", async () => {
    const times = { ...serverTimes, handshakeTimeout: 100 };
    const { received, closed } = await openClient(await startTlsStore({ times }));
    await closed;
    expect(received()).toHaveLength(0);
  });
});
