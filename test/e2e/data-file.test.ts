import { spawn, spawnSync } from "node:child_process";
import { readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { beforeAll, describe, expect, it } from "vitest";
import { fileData } from "../../src/server/storage/sqlite/index.ts";
import { bundled } from "../support/program/bundle.ts";
import { hasProgram } from "../support/program/has-program.ts";
import { canBeOther, folderOfOther, petsAsOther } from "../support/program/other-user.ts";
import { cleanEnv, runPets, temporaryFolder } from "../support/program/program.ts";
import { whenFinished } from "../support/program/when-finished.ts";
import { type Ready, serve } from "../support/servers/serve.ts";

const dataFile = (): string => path.join(temporaryFolder(), "store.db");
const gone = (file: string): string =>
  `the data file ${file} was moved, removed or emptied while the store was running`;

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
  it.each([
    ["removed", (file: string) => rmSync(file)],
    ["emptied", (file: string) => truncateSync(file)],
  ])("%s ends it with one line and exit code 1, and no more 201 and 200", async (_what, lose) => {
    const file = dataFile();
    const { ready, ended, told } = await serve(["--data", file, "--no-profile"]);
    expect(await statusOf(ready, rex)).toBe(201);
    lose(file);
    for (const body of [rex, undefined, rex])
      expect(await statusOf(ready, body)).toBeOneOf([503, "refused"]);
    expect(await ended).toBe(1);
    const message = JSON.stringify(gone(file));
    expect(told()).toBe(`{"error":{"code":"io","message":${message},"exitCode":1}}\n`);
  });

  it("leaves all that it added in a file that was moved, also to a store that starts at once", async () => {
    const file = dataFile();
    const { ready, ended } = await serve(["--data", file, "--no-profile"]);
    expect(await statusOf(ready, rex)).toBe(201);
    renameSync(file, `${file}.moved`);
    const words = ["serve", "--data", `${file}.moved`, "--", "pets", "list", "--json"];
    const { stdout } = await runPets(words);
    expect(JSON.parse(stdout)).toMatchObject([{ id: 1, name: "Rex" }]);
    expect(await ended).toBe(1);
  });

  it("says so in its log if it runs in the background", async () => {
    const file = dataFile();
    const env = cleanEnv();
    const words = ["--port", "0", "--data", file, "--no-profile", "--detach"];
    const { stderr } = await runPets(["serve", ...words], { env });
    const [, log = ""] = /Its log is (\S+)\.\n/.exec(stderr) ?? [];
    rmSync(file);
    await expect.poll(() => readFileSync(log, "utf8")).toBe(`pets: ${gone(file)}\n`);
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

/** For each data file that it is told: opens it, adds an animal and prints it; or prints why not. */
const opener = `
  const { createInterface } = await import("node:readline");
  const { fileData } = await import(process.argv[1]);
  console.log("ready");
  const open = [];
  for await (const file of createInterface(process.stdin)) {
    try {
      const { storage } = fileData(file, Date.now);
      open.push(storage);
      console.log(await storage.add({ name: "Rex", categoryId: 1n }));
    } catch (error) {
      console.log(error.message);
    }
  }
`;
const rex1 = { name: "Rex", categoryId: 1n };

let storage = "";
beforeAll(async () => {
  const source = path.resolve(import.meta.dirname, "../../src/server/storage/sqlite/index.ts");
  storage = await bundled(source);
});

/** Starts a process that opens data files, by a command before its own; it is killed when the test ends. */
function startOpener(before: readonly string[] = []) {
  const node = [process.execPath, "--input-type=module", "-e", opener, storage];
  const [command = "", ...words] = [...before, ...node];
  const child = spawn(command, words, { detached: true });
  whenFinished(
    () => child.signalCode ?? child.exitCode ?? process.kill(-Number(child.pid), "SIGKILL"),
  );
  child.stdin.on("error", () => {});
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<string> => (await lines.next()).value ?? "";
  return {
    ready: next,
    /** Returns the line about a file, or "" if the process was killed before. */
    open: (file: string) => {
      child.stdin.write(`${file}\n`);
      return next();
    },
  };
}

describe.skipIf(!hasProgram("strace"))("a first start that is killed", () => {
  // The calls that change its files; the last ones store the animal.
  it.concurrent.each([
    ...[3, 4, 5, 6, 7, 8, 9].map((at) => ["fsync", at] as const),
    ...[6, 7, 8, 12, 17].map((at) => ["pwrite64", at] as const),
    ...[2, 3].map((at) => ["unlink", at] as const),
  ])("at its %s number %i leaves a file that the next one opens", async (call, at) => {
    const file = dataFile();
    const paths = ["", "-journal", "-wal"].flatMap((ending) => ["-P", file + ending]);
    const inject = ["-e", `trace=${call}`, "-e", `inject=${call}:signal=SIGKILL:when=${at}`];
    const strace = ["strace", "-f", "-o", "/dev/null", ...paths, ...inject];
    const first = startOpener(strace);
    expect(await first.ready()).toBe("ready");
    expect(await first.open(file)).toBe("");
    const next = fileData(file, Date.now).storage;
    expect(JSON.parse(await next.add(rex1))).toMatchObject({ id: 1 });
    await next.close();
  });
});

it("one of two stores that start at once on a new file has it, in ten rounds", async () => {
  const both = [startOpener(), startOpener()];
  for (const { ready } of both) expect(await ready()).toBe("ready");
  for (let round = 0; round < 10; round += 1) {
    const file = dataFile();
    const lines = await Promise.all(both.map(({ open }) => open(file)));
    expect(lines.toSorted()).toEqual([
      `the data file ${file} is in use by another store`,
      expect.stringContaining('{"id":1,'),
    ]);
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
  writeFileSync(file, "", { mode: 0o600 });
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
