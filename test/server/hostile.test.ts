import { describe, expect, it } from "vitest";
import { sendRaw } from "../support/servers/raw.ts";
import { startTestStore, type TestStore } from "../support/servers/store.ts";

/** Starts a store whose requests somebody follows; returns also what the reader has received so far. */
async function startFollowed() {
  const store = await startTestStore({ seed: 1 });
  const Authorization = `Bearer ${store.apiKey}`;
  const response = await fetch(`http://127.0.0.1:${store.port}/_store/events`, {
    headers: { Authorization },
  });
  let received = "";
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) received += decoder.decode(chunk);
  })().catch(() => {});
  return { store, Authorization, received: () => received };
}

const request = (...headers: readonly Uint8Array[]) => [
  Buffer.concat([
    Buffer.from("GET /v1/pets HTTP/1.1\r\nHost: localhost\r\n"),
    ...headers.flatMap((header) => [header, Buffer.from("\r\n")]),
    Buffer.from("\r\n"),
  ]),
];

/** Sends each of `requests`, and returns how often each status came. */
async function statuses({ port }: TestStore, requests: readonly (readonly Uint8Array[])[]) {
  const all = await Promise.all(requests.map((parts) => sendRaw(port, parts)));
  return new Set(all.map(([response]) => response?.status));
}

describe("requests without a key", () => {
  it("of every size leave the store and its readers alive", async () => {
    const { store, Authorization, received } = await startFollowed();
    for (const start of ["Authorization: Bearer ", "Authorization: Basic ", "X-Api-Key: ", "X: "]) {
      const sizes = [0, 1, 3, 4, 5, 12, 37, 1_000, 3_400, 5_000, 8_191, 15_000, 16_000];
      const letters = sizes.map((size) => request(Buffer.from(start + "(".repeat(size))));
      expect(await statuses(store, letters)).toEqual(new Set([401]));
    }
    expect(await statuses(store, [request(Buffer.from(`X: ${"x".repeat(20_000)}`))])).toEqual(
      new Set([431]),
    );
    const shown = await fetch(`http://127.0.0.1:${store.port}/_store/requests`, {
      headers: { Authorization },
    });
    expect(await shown.json()).toHaveLength(4 * 13);
    await expect.poll(received).toContain("event: request");
    expect(store.faults).toEqual([]);
  });

  it("with every odd byte leave the store and its readers alive", async () => {
    const { store, Authorization } = await startFollowed();
    const bytes = Array.from({ length: 256 }, (_, byte) => byte);
    for (const where of ["header", "target"] as const) {
      const odd = bytes.map((byte) => {
        const header = Buffer.from([
          ...Buffer.from("Authorization: Bearer a\\(["),
          byte,
          37,
          66,
          92,
        ]);
        if (where === "header") return request(header);
        return [
          Buffer.from([
            ...Buffer.from("GET /v1/"),
            byte,
            ...Buffer.from("% HTTP/1.1\r\nHost: x\r\n\r\n"),
          ]),
        ];
      });
      for (const status of await statuses(store, odd)) expect([400, 401]).toContain(status);
    }
    const shown = await fetch(`http://127.0.0.1:${store.port}/_store/requests`, {
      headers: { Authorization },
    });
    expect(shown.status).toBe(200);
    expect(store.faults).toEqual([]);
  });
});

const ask = async (target: string, host: string) => {
  const { port, apiKey } = await startTestStore();
  const head = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;
  const [response] = await sendRaw(port, [head]);
  return response?.status;
};

describe("a target in absolute form", () => {
  it.each([
    ["http://127.0.0.1/_store/state", "evil.example", 200],
    ["http://localhost:1/_store/state", "localhost", 200],
    ["http://evil.example/_store/state", "127.0.0.1", 404],
    ["http://127.0.0.1@evil.example/_store/state", "127.0.0.1", 404],
    ["HTTPS://evil.example:80/_store/state", "127.0.0.1", 404],
    ["http://evil.example/v1/pets", "127.0.0.1", 200],
  ])("%s with the Host %s: %i", async (target, host, status) => {
    expect(await ask(target, host)).toBe(status);
  });
});
