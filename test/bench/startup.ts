import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildStandalone, whyNoStandalone } from "../../src/build/standalone.ts";
import { interleave, median } from "./cpu.ts";
import { petsCommand as pets } from "./pets-command.ts";
import { standaloneRows, startupRows, type Wanted } from "./startup-rows.ts";
import { overBounds, type Row, startupTable } from "./startup-table.ts";

const rounds = Number(process.argv[2] ?? 21);
/** The number of runs that bash times together: it counts whole milliseconds. */
const runsOnEnd = 3;
const here = import.meta.dirname;
const node = process.execPath;

const server = spawn(node, [path.join(here, "server.cjs")], {
  stdio: ["ignore", "pipe", "inherit"],
});
const folder = mkdtempSync(path.join(tmpdir(), "pets-bench-"));

try {
  const [port] = await once(server.stdout, "data");
  const baseUrl = `http://127.0.0.1:${String(port).trim()}/v1`;
  const apiKey = "key-of-the-bench";
  const profile = { PATH: process.env.PATH ?? "", HOME: folder };
  const env = { ...profile, PETS_BASE_URL: baseUrl, PETS_API_KEY: apiKey };
  const login = [...pets.slice(1), "login", "--base-url", baseUrl];
  spawnSync(node, login, { env: profile, input: apiKey });
  const reason = whyNoStandalone();
  if (reason === undefined) await buildStandalone(path.join(here, "../../dist"), folder);
  else console.log(`No standalone executable: ${reason}\n`);
  const settings = { env, profile };
  const wanted = [
    ...startupRows(settings),
    ...(reason === undefined ? standaloneRows(path.join(folder, "pets"), settings) : []),
  ];
  const rows = measure(wanted);
  console.log(startupTable(rows));
  const complaints = overBounds(rows);
  for (const text of complaints) console.error(`\n${text}`);
  if (complaints.length > 0) process.exitCode = 1;
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}

function measure(wanted: readonly Wanted[]): readonly Row[] {
  const installed = new Set(wanted.filter(({ command }) => isInstalled(command)));
  const samples = interleave([...installed], rounds, runsOnEnd);
  console.log(
    `CPU time in ms: medians of ${rounds} interleaved means of ${runsOnEnd} runs, Node ${process.versions.node}\n`,
  );
  return wanted.map((row) => ({
    name: row.name,
    ms: installed.has(row) ? median(samples.get(row.name) ?? []) : "not installed",
    ...(row.bound !== undefined && { bound: row.bound }),
  }));
}

function isInstalled([file = ""]: readonly string[]): boolean {
  return spawnSync(file, ["--version"], { stdio: "ignore" }).status === 0;
}
