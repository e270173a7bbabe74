import { expect, it } from "vitest";
import { sendRaw } from "../support/servers/raw.ts";
import { startTestStore } from "../support/servers/store.ts";

it("requests without a key, of every size, leave the store and its readers alive", async () => {
  const store = await startTestStore({ seed: 1 });
  const { origin } = new URL(store.baseUrl);
  const headers = { Authorization: `Bearer ${store.apiKey}` };
  const events = await fetch(`${origin}/_store/events`, { headers });
  const sizes = [0, 1, 3, 4, 5, 12, 37, 1_000, 3_400, 5_000, 8_191, 15_000, 64_000, 80_000];
  for (const start of ["Authorization: Bearer ", "Authorization: Basic ", "X-Api-Key: ", "X: "]) {
    const replies = await Promise.all(
      sizes.map((size) => {
        const header = start + "(".repeat(size);
        return sendRaw(store.port, [
          `GET /v1/pets HTTP/1.1\r\nHost: localhost\r\n${header}\r\n\r\n`,
        ]);
      }),
    );
    const statuses = replies.map(([reply]) => reply?.status);
    expect(statuses).toEqual(sizes.map((size) => (size === 80_000 ? 431 : 401)));
  }
  const shown = await fetch(`${origin}/_store/requests`, { headers });
  expect(await shown.json()).toHaveLength(4 * (sizes.length - 1));
  let received = "";
  for await (const chunk of events.body ?? []) {
    received += Buffer.from(chunk).toString();
    if (received.includes("event: request")) break;
  }
  expect(store.faults).toEqual([]);
});
