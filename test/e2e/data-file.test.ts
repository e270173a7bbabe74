import { spawn, spawnSync } from "node:child_process";
import { readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { fileStorage, listed } from "../support/databases/data-file.ts";
import { hasProgram } from "../support/program/has-program.ts";
import { canBeOther, folderOfOther, petsAsOther } from "../support/program/other-user.ts";
import { cleanEnv, finished, runPets, temporaryFolder } from "../support/program/program.ts";
import { type Ready, serve } from "../support/servers/serve.ts";

const dataFile = (): string => path.join(temporaryFolder(), "store.db");
const gone = (file: string): string =>
  `the data file ${file} was moved or removed while the store was running`;

/** Sends an animal, or asks for the list. Returns the status, or `refused` where no store is any more. */
async function statusOf({ baseUrl, apiKey }: Ready, body?: string): Promise<number | string> {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const init = body === undefined ? { headers } : { method: "POST", headers, body };
  return fetch(`${baseUrl}/pets`, init).then(
    ({ status }) => status,
    () => "refused",
  );
}

const rex = '{"name":"Rex","categoryId":1}';

describe("a store whose data file is gone", () => {
  it.each<readonly [string, (file: string) => void]>([
    ["removed", (file) => rmSync(file)],
    ["moved", (file) => renameSync(file, `${file}.moved`)],
  ])("ends with one line and exit code 1, once it is %s", async (_what, lose) => {
    const file = dataFile();
    const { ready, ended, told } = await serve(["--data", file, "--no-profile"]);
    expect(await statusOf(ready, rex)).toBe(201);
    lose(file);
    for (const body of [rex, undefined, rex])
      expect(await statusOf(ready, body)).toBeOneOf([503, "refused"]);
    expect(await ended).toBe(1);
    expect(told()).toBe(
      `{"error":{"code":"io","message":${JSON.stringify(gone(file))},"exitCode":1}}\n`,
    );
  });

  it("says so in its log if it runs in the background", async () => {
    const file = dataFile();
    const env = cleanEnv();
    const words = ["--port", "0", "--data", file, "--no-profile", "--detach"];
    const { stderr } = await runPets(["serve", ...words], { env });
    const [, log = ""] = /Its log is (\S+)\.\n/.exec(stderr) ?? [];
    rmSync(file);
    await expect
      .poll(() => readFileSync(log, "utf8"), { timeout: 10_000 })
      .toBe(`pets: ${gone(file)}\n`);
  });

  it.each([
    [0, 1],
    [7, 7],
  ])("lets its command go on, which ends with %i, and exits with %i", async (own, code) => {
    const file = dataFile();
    const text = `
      const { PETS_BASE_URL: url, PETS_API_KEY: key } = process.env;
      require("node:fs").rmSync(process.argv[1]);
      fetch(url + "/pets", { headers: { authorization: "Bearer " + key } }).then(({ status }) => {
        console.log(status);
        process.exit(${own});
      });`;
    const command = [process.execPath, "-e", text, file];
    const run = await runPets(["serve", "--data", file, "--", ...command]);
    expect(run).toMatchObject({ code, stdout: "503\n", stderr: `pets: ${gone(file)}\n` });
  });
});

/** Opens the data file, adds an animal and prints it, and waits to be killed. */
const opener = `
  const { fileData } = await import(process.argv[1]);
  const { storage } = fileData(process.argv[2], Date.now);
  console.log(await storage.add({ name: "Rex", categoryId: 1n }));
  process.kill(process.pid, "SIGKILL");
`;
const storageModule = path.resolve(import.meta.dirname, "../../src/server/storage/sqlite/index.ts");

describe.skipIf(!hasProgram("strace"))("a first start that is killed", () => {
  // The calls that change files; the last of each are after the creation.
  const steps = ["fsync", "unlink", "pwrite64"].flatMap((call) =>
    Array.from({ length: call === "pwrite64" ? 18 : 9 }, (_, at) => [call, at + 1] as const),
  );

  it(
    "leaves a file that the next one opens, wherever it was killed",
    { timeout: 120_000 },
    async () => {
      const killed = new Set<string>();
      for (const [call, at] of steps) {
        const file = dataFile();
        const paths = ["", "-journal", "-wal"].flatMap((ending) => ["-P", file + ending]);
        const inject = ["-e", `trace=${call}`, "-e", `inject=${call}:signal=SIGKILL:when=${at}`];
        const node = [process.execPath, "--input-type=module", "-e", opener, storageModule, file];
        const words = ["-f", "-o", "/dev/null", ...paths, ...inject, ...node];
        const { stdout } = await finished(spawn("strace", words));
        if (stdout === "") killed.add(call);
        const storage = fileStorage(file);
        expect([call, at, await listed(storage)]).toEqual([call, at, `[${stdout.trim()}]`]);
        await storage.close();
      }
      expect(killed.size).toBe(3);
    },
  );
});

it("one of two stores that start at once on a new file has it, in ten rounds", async () => {
  for (let round = 0; round < 10; round += 1) {
    const file = dataFile();
    const words = ["serve", "--data", file, "--port", "0", "--no-profile", "--", "sleep", "1"];
    const runs = await Promise.all([runPets(words), runPets(words)]);
    expect(runs.map(({ code }) => code).toSorted()).toEqual([0, 1]);
    const { stderr } = runs.find(({ code }) => code === 1) ?? {};
    expect(stderr).toContain(`the data file ${file} is in use by another store`);
  }
});

it.runIf(canBeOther)("a data file of another user, or in a folder of one, is told as that", () => {
  const folder = folderOfOther();
  const file = path.join(folder, "store.db");
  const [setpriv, ...command] = petsAsOther();
  const env = cleanEnv(folder);
  const serveTrue = (data: string) => {
    const words = ["serve", "--data", data, "--port", "0", "--no-profile", "--", "true"];
    return spawnSync(setpriv, [...command, ...words], { env, encoding: "utf8" });
  };
  spawnSync("install", ["-m", "600", "/dev/null", file]);
  const own = serveTrue(file);
  expect([own.status, own.stderr.split("\n")[0]]).toEqual([
    1,
    `pets: the data file ${file} cannot be used: permission denied; ${file} belongs to root`,
  ]);
  const other = serveTrue("/root.db");
  expect([other.status, other.stderr.split("\n")[0]]).toEqual([
    1,
    "pets: the data file /root.db cannot be used: /: permission denied; / belongs to root",
  ]);
});
