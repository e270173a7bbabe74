import { describe, expect, it } from "vitest";
import { postgresData, postgresKeyData } from "../../../../src/server/storage/postgres/index.ts";
import { freePort } from "../../../support/servers/free-port.ts";

const opens = [
  ["a store", (url: string) => postgresData(url, Date.now)],
  ["its keys", postgresKeyData],
] as const;

describe.each(opens)("opening %s", (_what, open) => {
  it("ends with exit 1 if no server listens, and names it without the password", async () => {
    const port = await freePort();
    const opened = open(`postgres://user:secret@127.0.0.1:${port}/pets`);
    await expect(opened).rejects.toMatchObject({
      kind: "io",
      message: expect.stringContaining(`127.0.0.1:${port}`),
    });
    await expect(opened).rejects.not.toMatchObject({ message: expect.stringContaining("secret") });
  });

  it("ends with exit 2 at an invalid URL, before it connects", async () => {
    await expect(open("postgres://127.0.0.1:99999/pets")).rejects.toMatchObject({ kind: "usage" });
  });
});
