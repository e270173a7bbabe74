import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Readable } from "node:stream";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { commandsByPath } from "../support/command/commands.ts";
import { runInTime } from "../support/command/world.ts";
import { postgresAvailable, sql, usePostgres } from "../support/databases/postgres.ts";
import {
  documents,
  documentText,
  type Expected,
  expected,
  runElsewhere,
  shellLines,
} from "../support/documents/documents.ts";
import { type HelpWorld, makeHelpWorld, revokedId } from "../support/documents/help-world.ts";
import { hasProgram } from "../support/program/has-program.ts";
import { type Finished, finished } from "../support/program/program.ts";

const documented = documents
  .flatMap((name) => shellLines(documentText(name)))
  .filter((line) => !runElsewhere.test(line));

/** The examples of every command, of the help topics and of the README, each line once. */
const examples = new Set([
  ...documented,
  ...[...commandsByPath().values()].flatMap((command) => command.configureHelp().examples ?? []),
]);
const hasJq = hasProgram("jq");
const canRun = (line: string): boolean =>
  (postgresAvailable || !line.includes("postgres://")) && (hasJq || !/\bjq\b/.test(line));

describe.skipIf(process.platform === "win32")(
  "an example of the help or the README, pasted into a shell",
  () => {
    const server = postgresAvailable ? usePostgres() : undefined;
    let world: HelpWorld;
    let trusted: string[];
    beforeAll(async () => {
      if (server !== undefined) {
        const url = `postgres://postgres@127.0.0.1:${server.port}/postgres`;
        await sql(url, "CREATE ROLE pets LOGIN");
        await sql(url, "CREATE DATABASE pets OWNER pets");
      }
      world = await makeHelpWorld(server?.port ?? 0);
      trusted = getCACertificates();
      setDefaultCACertificates([...trusted, world.certificate]);
    });
    afterAll(async () => {
      setDefaultCACertificates(trusted);
      await world.remove();
    });

    it.for([...examples])("%s", async (line, { skip }) => {
      skip(!canRun(line), "needs jq, or PostgreSQL");
      await world.reset();
      const { folder, env } = world.place();
      const place = { folder, env, input: world.apiKey };
      const run = (text: string): Promise<Run> => runLine(text, place);
      if (/^pets keys revoke .*postgres:/.test(line)) await putKey(run, server?.port);
      const isServer = line.startsWith("pets serve") && !/ -- | --(?:detach|list)\b/.test(line);
      const ran = isServer
        ? await runServer(line, place)
        : { ...(await run(withVariable(line))), tried: "" };
      const {
        exitCode = 0,
        files = {},
        afterwards = {},
        ...printed
      }: Expected = expected[line] ?? {};
      expect(ran).toMatchObject({ code: exitCode, stderr: expect.any(String) });
      for (const [where, pattern] of Object.entries(printed))
        expect(Reflect.get(ran, where)).toMatch(pattern);
      for (const [name, pattern] of Object.entries(files))
        expect(readFileSync(path.join(folder, name), "utf8")).toMatch(pattern);
      for (const [next, pattern] of Object.entries(afterwards))
        expect(await run(next)).toMatchObject({ code: 0, stdout: expect.stringMatching(pattern) });
    });
  },
);

type Run = Omit<Finished, "signal">;

/** Where a line is run, and what is on its standard input. */
interface Place {
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly input: string;
}

/** A word that a shell leaves as it is, or takes out of quotes. */
const word = /(?:[\w.,:/%=+-]+|'[^']*'|"[^"$`\\]*")/.source;
/** A command line of nothing but words, and what is done with its output. */
const plain = new RegExp(String.raw`^pets((?: ${word})+)(?: (?:\| ((?!.*pets ).*)|(> \S+)))?$`);

/** Runs a line of commands joined by &&; those of plain words need neither a shell nor a process. */
async function runLine(line: string, place: Place): Promise<Run> {
  let [code, stdout, stderr] = [0, "", ""];
  // What sets a variable is for the same shell.
  for (const command of line.includes("$") ? [line] : line.split(" && ")) {
    const isPlain = plain.test(command) && !command.startsWith("pets serve");
    const run = await (isPlain ? runPlain : runInShell)(command, place);
    [code, stdout, stderr] = [run.code, stdout + run.stdout, stderr + run.stderr];
    if (code !== 0) break;
  }
  return { code, stdout, stderr };
}

/** Runs a plain line in this process; a shell gets only what it prints. */
async function runPlain(line: string, place: Place): Promise<Run> {
  const { folder, env, input } = place;
  const [, words = "", filter, file] = plain.exec(line) ?? [];
  const argv = words.match(new RegExp(word, "g")) ?? [];
  const before = process.cwd();
  process.chdir(folder);
  try {
    const unquoted = argv.map((each) => each.replace(/^(['"])(.*)\1$/, "$2"));
    const run = await runInTime(unquoted, { env, input });
    if (filter === undefined && file === undefined) return run;
    const rest = await runInShell(filter ?? `cat ${file}`, { ...place, input: run.stdout });
    // A pipe ends as its last command does.
    return { ...rest, code: filter ? rest.code : run.code, stderr: run.stderr + rest.stderr };
  } finally {
    process.chdir(before);
  }
}

async function runInShell(line: string, { folder, env, input }: Place): Promise<Run> {
  const child = spawn("sh", ["-c", line], { cwd: folder, env });
  child.stdin.on("error", () => {}).end(input);
  return finished(child);
}

/** Returns `line`, which also prints the variable that it sets, if any. */
function withVariable(line: string): string {
  const [, name] = /^(\w+)=\$\(/.exec(line) ?? [];
  return name === undefined ? line : `${line} && printf %s "${name}=$${name}"`;
}

/** Starts a store, runs what it suggests to try, and stops it; `tried` is what that printed. */
async function runServer(line: string, place: Place) {
  const { folder, env } = place;
  const child = spawn("sh", ["-c", `exec ${line}`], { cwd: folder, env });
  onTestFinished(() => void child.kill("SIGKILL"));
  const end = finished(child);
  const told = await Promise.race([firstLines(child.stdout), end.then(({ stderr }) => stderr)]);
  const [, advice = "false"] = /^Try +(.*)$/m.exec(told) ?? [];
  const tried = await runLine(advice, place);
  expect(tried).toMatchObject({ code: 0 });
  child.kill("SIGTERM");
  return { ...(await end), tried: tried.stdout };
}

/** Returns the output up to the line that suggests what to try. */
async function firstLines(output: Readable): Promise<string> {
  let text = "";
  return new Promise((resolve) => {
    output.on("data", (part) => {
      text += part;
      if (/^Try .*\n/m.test(text)) resolve(text);
    });
  });
}

/** Adds the key that is revoked to the database, if there is one. */
async function putKey(run: (line: string) => Promise<Run>, port = 0): Promise<void> {
  if (port === 0) return;
  const { code, stderr } = await run("pets serve --data postgres://pets@localhost/pets -- true");
  if (code !== 0) throw new Error(stderr);
  await sql(
    `postgres://pets@127.0.0.1:${port}/pets`,
    `INSERT INTO pets_store.keys (id, hash, plan, created_at, is_operator)
     VALUES ('${revokedId}', '\\x${"00".repeat(32)}', 'free', 0, false) ON CONFLICT DO NOTHING`,
  );
}
