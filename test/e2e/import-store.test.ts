import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { cleanEnv, temporaryFolder } from "../support/program/program.ts";
import { freePort } from "../support/servers/free-port.ts";
import { type Served, serve } from "../support/servers/serve.ts";

const key = "a-key-of-the-tests-1234";

async function stop({ child, ended }: Served): Promise<void> {
  child.kill("SIGTERM");
  await ended;
}

it("an import is known at another port, and sent again to other data and after a reset", async () => {
  const home = temporaryFolder();
  const env = { ...cleanEnv(), HOME: home, PETS_SERVE_KEY: key };
  const file = path.join(home, "pets.ndjson");
  writeFileSync(file, '{"name":"Rex","categoryId":1}\n{"name":"Mia","categoryId":1}\n');
  const run = ({ ready }: Served, ...words: string[]) =>
    runInTime(words, { env: { ...env, PETS_BASE_URL: ready.baseUrl, PETS_API_KEY: key } });
  const add = (store: Served, ...words: string[]) => run(store, "add", "--from", file, ...words);
  const namesIn = async (store: Served): Promise<string> =>
    (await run(store, "list", "-o", "csv", "--fields", "name")).stdout;
  const both = "name\r\nMia\r\nRex\r\n";

  const data = ["--data", path.join(home, "a.db")];
  const first = await serve(data, env);
  expect(await add(first, "--concurrency", "1")).toMatchObject({ code: 0 });
  await stop(first);
  const port = String(await freePort());
  const second = await serve([...data, "--port", port], env);
  expect(await add(second)).toMatchObject({ code: 2 });
  expect(await add(second, "--only-new")).toMatchObject({ code: 0 });
  expect(await namesIn(second)).toBe(both);
  await stop(second);
  const other = await serve(["--memory", "--port", port], env);
  expect(await add(other, "--concurrency", "1")).toMatchObject({ code: 0 });
  expect(await add(other)).toMatchObject({ code: 0, stdout: "" });
  expect(await namesIn(other)).toBe(both);
  expect(await run(other, "store", "reset")).toMatchObject({ code: 0 });
  expect(await add(other, "--concurrency", "1")).toMatchObject({ code: 0 });
  expect(await namesIn(other)).toBe(both);
});
