import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { interleave, type Measured, median } from "./cpu.ts";
import { petsCommand as pets } from "./pets-command.ts";

/** A command to measure, and its maximum cost as a multiple of that of another. */
type Row = Measured & { readonly most?: readonly [factor: number, of: string] };

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
  const list = [...pets, "list"];
  const json = [...list, "--json"];
  const limit100 = [...list, "--limit", "100"];
  const plain = "plain request";
  const csv100 = [...limit100, "-o", "csv"];
  measure([
    { name: "bare Node", command: [node, "-e", "0"], env },
    { name: plain, command: [node, path.join(here, "plain-request.mjs")], env },
    { name: "pets --version", command: [...pets, "--version"], env, most: [1.25, "bare Node"] },
    { name: "pets --help", command: [...pets, "--help"], env, most: [1.25, "bare Node"] },
    { name: "pets list --json", command: json, env, most: [1.1, plain] },
    { name: "pets list --json, a profile", command: json, env: profile, most: [1.15, plain] },
    { name: "pets list", command: list, env, most: [1.2, plain] },
    { name: "pets list --limit 100", command: limit100, env, most: [1.3, plain] },
    { name: "pets list -o csv --limit 100", command: csv100, env, most: [1.15, plain] },
  ]);
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}

/** Prints the CPU time of each row, and what exceeds its bound. */
function measure(rows: readonly Row[]): void {
  const samples = interleave(rows, rounds, runsOnEnd);
  const msOf = (name: string): number => median(samples.get(name) ?? []);
  console.log(
    `CPU time in ms: medians of ${rounds} interleaved means of ${runsOnEnd} runs, Node ${process.versions.node}\n`,
  );
  for (const { name, most } of rows) {
    const line = name.padEnd(30) + msOf(name).toFixed(1).padStart(8);
    const [factor = Infinity, of = name] = most ?? [];
    const ratio = msOf(name) / msOf(of);
    const bound = `  ${ratio.toFixed(3)} of ${of}, at most ${factor}: ${ratio <= factor ? "yes" : "NO"}`;
    console.log(most === undefined ? line : `${line}${bound}`);
    if (ratio > factor) process.exitCode = 1;
  }
}
