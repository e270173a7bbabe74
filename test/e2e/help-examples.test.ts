import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { examples } from "../../src/help/examples.ts";
import { hasProgram } from "../support/has-program.ts";
import { type HelpWorld, makeHelpWorld, revokedId } from "../support/help-world.ts";
import { postgresAvailable, sql, usePostgres } from "../support/postgres.ts";
import { type Finished, finished } from "../support/program.ts";

/** How an example ended, and where. */
interface Ran extends Finished {
  readonly folder: string;
  /** Runs another line in the same place, and answers what it printed. */
  readonly also: (line: string) => Promise<string>;
}

const table = /^ID +NAME +CATEGORY +STATUS$/m;
const rex = expect.stringMatching(/^\d+\s+Rex\s+1\s+available$/m);
const read = (ran: Ran, name: string): string => readFileSync(path.join(ran.folder, name), "utf8");
const seen = (ran: Ran): number => JSON.parse(read(ran, "seen.json")).length;

/** What each example does beside ending with 0. */
const effects: Readonly<Record<string, (ran: Ran) => unknown>> = {
  "pets list --status available": ({ stdout }) => {
    expect(stdout).toMatch(table);
    expect(stdout.trim().split("\n").length).toBe(5);
  },
  "pets list --limit 100 --json | jq length": ({ stdout }) => expect(stdout).toBe("12\n"),
  "pets list -o csv --fields name,id > animals.csv": (ran) =>
    expect(read(ran, "animals.csv")).toMatch(/^name,id\r\nPet 12,12\r\n/),
  "pets add --name Rex --category 1": async ({ stdout, also }) => {
    expect(stdout).toMatch(/Rex/);
    expect(await also("pets list --limit 1 -o tsv --fields name")).toBe("name\nRex\n");
  },
  "pets add --name Rex --category 1 --status available": ({ stdout }) =>
    expect(stdout).toEqual(rex),
  "id=$(pets add --name Rex --category 1 --quiet)": ({ stdout }) => expect(stdout).toBe("id=13"),
  "pets add --from shelter.csv --dry-run": async ({ stdout, also }) => {
    expect(stdout).toMatch(/Mia[^]*Leo/);
    expect(await also("pets list --limit 1 -o tsv --fields name")).toBe("name\nPet 12\n");
  },
  // Rows are sent side by side: either may be the first to be added, and to end.
  "pets add --from shelter.csv -o csv > outcome.csv": (ran) =>
    expect(read(ran, "outcome.csv").split("\r\n").sort()).toEqual([
      "",
      expect.stringMatching(/^2,added,1[34],Mia,1,available,$/),
      expect.stringMatching(/^3,added,1[34],Leo,2,,$/),
      "line,outcome,id,name,categoryId,status,error",
    ]),
  "pets list -o ndjson | pets add --from - --profile other": async ({ also }) =>
    expect(JSON.parse(await also("pets list --limit 100 --json"))).toHaveLength(24),
  "pets get 7": ({ stdout, stderr }) => {
    expect(stdout).toMatch(/^7 +Pet 7 +1 +available$/m);
    expect(stderr).toContain("5 December 2030");
  },
  "name=$(pets get 7 --json --quiet | jq -r .name)": ({ stdout, stderr }) =>
    expect([stdout, stderr]).toEqual(["name=Pet 7", ""]),
  "pets list --status available --json | jq '.[] | select(.id == 7)'": ({ stdout }) =>
    expect(JSON.parse(stdout)).toMatchObject({ id: 7, name: "Pet 7" }),
  "pets login --base-url https://store.example/v1": ({ stderr }) =>
    expect(stderr).toMatch(/Logged in: profile default, base URL https:\/\/store\.example\/v1/),
  "pets login --profile staging --base-url https://staging.example/v1 < key.txt": ({ stderr }) =>
    expect(stderr).toMatch(/Logged in: profile staging, base URL https:\/\/staging\.example/),
  "pets logout": ({ stderr }) => expect(stderr).toContain("Removed the key from profile default"),
  "pets logout --profile staging": ({ stderr }) =>
    expect(stderr).toContain("Removed the key from profile staging"),
  "pets profile": listsProfiles,
  "pets profile list": listsProfiles,
  "pets profile list --json | jq -r '.[].name'": ({ stdout }) =>
    expect(stdout).toBe("default\nlocal\nother\nstaging\n"),
  "pets profile use staging": ({ stderr }) => expect(stderr).toContain("staging is the current"),
  "pets profile use local && pets list": ({ stdout, stderr }) => {
    expect(stderr).toContain("local is the current");
    expect(stdout).toMatch(table);
  },
  "pets profile show": ({ stdout }) => expect(stdout).toMatch(/^default +https:\/\/store/m),
  "pets profile show staging -o tsv --fields baseUrl": ({ stdout }) =>
    expect(stdout).toBe("baseUrl\nhttps://staging.example/v1\n"),
  "pets profile remove staging": ({ stderr }) =>
    expect(stderr).toContain("Removed profile staging"),
  "pets profile use default && pets profile remove staging": async ({ stderr, also }) => {
    expect(stderr).toContain("Removed profile staging");
    expect(await also("pets profile show -o tsv --fields name")).toBe("name\ndefault\n");
  },
  "pets limits": ({ stdout }) => expect(stdout).toMatch(/^LIMIT +LEFT[^]*\n *300 /m),
  "pets limits --json | jq -e '.waitReason == null' && ./add-animals": (ran) =>
    expect([ran.stdout, existsSync(`${ran.folder}/added`)]).toEqual(["true\n", true]),
  "pets limits --refresh --json | jq -e '.remaining >= 50' && ./add-50-animals": (ran) =>
    expect([ran.stdout, existsSync(`${ran.folder}/added`)]).toEqual(["true\n", true]),
  "pets serve --memory --seed 24 -- pets list": ({ stdout }) =>
    expect(stdout.trim().split("\n").length).toBe(21),
  "pets serve --seed 24": listsServed(20),
  "pets serve --seed animals.ndjson -- ./test.sh": (ran) => expect(seen(ran)).toBe(12),
  "pets serve --fault 429:0.1,500:0.05 --latency 100±50 -- ./test.sh": (ran) =>
    expect(seen(ran)).toBe(0),
  "pets serve --data postgres://pets@localhost/pets": listsServed(0),
  "pets serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem": listsServed(0),
  "pets keys": listsKeys,
  "pets keys list": listsKeys,
  "pets keys list --data shop.db --json | jq -r '.[].plan'": ({ stdout }) =>
    expect(stdout).toBe("free\nfree\n"),
  "key=$(pets keys add --plan pro --quiet)": ({ stdout }) =>
    expect(stdout).toMatch(/^key=pets_\w{32}$/),
  "pets keys add --plan 120/min,5000/day --data shop.db": async ({ stdout, also }) => {
    expect(stdout).toMatch(/pets_\w{32}/);
    const plans = await also("pets keys list --data shop.db --json");
    expect(plans).toContain("120/min,5000/day");
  },
  [`pets keys revoke ${revokedId}`]: async ({ also }) =>
    expect(await also("pets keys")).not.toContain(revokedId),
  [`pets keys revoke ${revokedId} --data postgres://pets@localhost/pets`]: async ({ also }) =>
    expect(await also("pets keys --data postgres://pets@localhost/pets")).not.toContain(revokedId),
  "pets completion bash > ~/.pets.bash": async ({ also }) =>
    expect(await also("tail -n +1 ~/.pets.bash")).toMatch(/^# bash completion for pets/),
  "pets completion zsh > _pets": (ran) => expect(read(ran, "_pets")).toMatch(/^#compdef pets\n/),
  "pets help add": ({ stdout }) => expect(stdout).toMatch(/^Usage: pets add /),
  "pets help profile use": ({ stdout }) => expect(stdout).toMatch(/^Usage: pets profile use /),
  "pets help exit-codes": ({ stdout }) => expect(stdout).toMatch(/^Exit codes of pets\./),
};

function listsProfiles({ stdout }: Ran): void {
  expect(stdout.match(/^\w+/gm)).toEqual(["NAME", "default", "local", "other", "staging"]);
}

function listsKeys({ stdout }: Ran): void {
  expect(stdout).toContain(revokedId);
}

/** What `pets serve` tells to try works, and shows this many animals. */
function listsServed(animals: number) {
  return ({ stdout }: Ran): void => {
    expect(stdout).toMatch(/^The store is ready at https?:\/\//);
    const rows = stdout.split("--tried--\n")[1] ?? "";
    expect(
      rows
        .trim()
        .split("\n")
        .filter((line) => /^\d+ /.test(line)).length,
    ).toBe(animals);
  };
}

const lines = [...new Set(Object.values(examples).flat())];
const hasJq = hasProgram("jq");
const canRun = (line: string): boolean =>
  (postgresAvailable || !line.includes("postgres://")) && (hasJq || !/\bjq\b/.test(line));

describe("the examples of the help", () => {
  it("have their effects told here, all of them", () => {
    expect(Object.keys(effects).sort()).toEqual(lines.toSorted());
  });
});

describe.skipIf(process.platform === "win32")("an example of the help, pasted into a shell", () => {
  const server = postgresAvailable ? usePostgres() : undefined;
  let world: HelpWorld;
  beforeAll(async () => {
    if (server !== undefined) await makeDatabase(server.port);
    world = await makeHelpWorld(server?.port ?? 0);
  });
  afterAll(() => world.remove());

  it.for(lines)("%s", async (line, { skip }) => {
    skip(!canRun(line), "needs jq, or PostgreSQL");
    await world.reset();
    const { folder, env } = world.place();
    const run = async (text: string): Promise<Finished> => {
      const child = spawn("sh", ["-c", text], { cwd: folder, env });
      child.stdin.on("error", () => {}).end(world.apiKey);
      return finished(child);
    };
    if (line.startsWith("pets keys revoke")) await putKey(run, server?.port);
    const isServer = line.startsWith("pets serve") && !line.includes(" -- ");
    const ran = await (isServer ? runServer(line, folder, env) : run(withVariable(line)));
    expect(ran).toMatchObject({ code: 0 });
    const also = async (text: string): Promise<string> => {
      const next = await run(text);
      expect(next).toMatchObject({ code: 0 });
      return next.stdout;
    };
    await effects[line]?.({ ...ran, folder, also });
  });
});

/** An example that keeps something in a variable shows it. */
function withVariable(line: string): string {
  const [, name] = /^(\w+)=\$\(/.exec(line) ?? [];
  return name === undefined ? line : `${line} && printf %s "${name}=$${name}"`;
}

/** Starts a store, runs what it tells to try, and stops it; that follows in its output. */
async function runServer(
  line: string,
  folder: string,
  env: Record<string, string>,
): Promise<Finished> {
  const child = spawn("sh", ["-c", `exec ${line}`], { cwd: folder, env });
  onTestFinished(() => void child.kill("SIGKILL"));
  const end = finished(child);
  const told = await Promise.race([firstLines(child.stdout), end.then(({ stderr }) => stderr)]);
  const [, advice = "false"] = /^Try +(.*)$/m.exec(told) ?? [];
  const tried = await finished(spawn("sh", ["-c", advice], { cwd: folder, env }));
  expect(tried).toMatchObject({ code: 0 });
  child.kill("SIGTERM");
  const ended = await end;
  return { ...ended, stdout: `${ended.stdout}--tried--\n${tried.stdout}` };
}

/** What is printed up to the line that tells what to try. */
async function firstLines(output: Readable): Promise<string> {
  let text = "";
  return new Promise((resolve) => {
    output.on("data", (part) => {
      text += part;
      if (/^Try .*\n/m.test(text)) resolve(text);
    });
  });
}

async function makeDatabase(port: number): Promise<void> {
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await sql(url, "CREATE ROLE pets LOGIN");
  await sql(url, "CREATE DATABASE pets OWNER pets");
}

/** Puts the key that is revoked into the database, where there is one. */
async function putKey(run: (line: string) => Promise<Finished>, port = 0): Promise<void> {
  if (port === 0) return;
  const { code, stderr } = await run("pets serve --data postgres://pets@localhost/pets -- true");
  if (code !== 0) throw new Error(stderr);
  await sql(
    `postgres://pets@127.0.0.1:${port}/pets`,
    `INSERT INTO pets_store.keys (id, hash, plan, created_at)
     VALUES ('${revokedId}', '\\x${"00".repeat(32)}', 'free', 0) ON CONFLICT DO NOTHING`,
  );
}
