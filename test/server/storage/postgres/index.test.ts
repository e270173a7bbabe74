import { describe, expect, it } from "vitest";
import { postgresData, postgresKeyData } from "../../../../src/server/storage/postgres/index.ts";
import { freePort } from "../../../support/free-port.ts";

const opens = [
  ["a store", (url: string) => postgresData(url, Date.now)],
  ["its keys", postgresKeyData],
] as const;

describe.each(opens)("opening %s", (_what, open) => {
  it("where no server listens is exit 1, and names the server without the password", async () => {
    const port = await freePort();
    const opened = open(`postgres://user:secret@127.0.0.1:${port}/pets`);
    await expect(opened).rejects.toMatchObject({
      kind: "io",
      message: expect.stringContaining(`127.0.0.1:${port}`),
    });
    await expect(opened).rejects.not.toMatchObject({ message: expect.stringContaining("secret") });
  });

  it("at a URL that is none is exit 2, before anything is asked", async () => {
    await expect(open("postgres://127.0.0.1:99999/pets")).rejects.toMatchObject({ kind: "usage" });
  });
});
