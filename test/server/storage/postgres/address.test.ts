import { describe, expect, it } from "vitest";
import { openStorage } from "../../../../src/server/storage/open.ts";
import { open } from "../../../support/databases/postgres-data.ts";
import { postgresAvailable, usePostgres } from "../../../support/databases/postgres.ts";

const rex = { name: "Rex", categoryId: 1n };

describe.skipIf(!postgresAvailable)("the address of a PostgreSQL database", () => {
  const server = usePostgres();

  it("may be the folder of a socket", async () => {
    const { pathname } = new URL(await server.createDatabase());
    const { folder, port } = server;
    const data = await open(`postgres://postgres@${pathname}?host=${folder}&port=${port}`);
    expect(data.storage.place).toBe(`postgres://postgres@${pathname}?host=${folder}&port=${port}`);
    expect(await data.storage.add(rex)).toContain('"id":1,');
  });

  it("never shows a password", async () => {
    const url = await server.createDatabase();
    const data = await open(url.replace("postgres@", "postgres:s3cret@"));
    expect(data.storage.place).toBe(url);
    await expect(
      openStorage(url.replace("postgres@", "nobody-here:s3cret@"), Date.now),
    ).rejects.toMatchObject({ message: expect.not.stringContaining("s3cret") });
  });
});
