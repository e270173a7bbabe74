// Prints what `pets serve --check` reports for six clients: the table of README.md, and one full report.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { script } from "../support/program/program.ts";

/** Clients in `clients` that add eight animals each, and list them after each. */
const clients = [
  ["`curl` that waits and repeats only `GET`", "sh", "polite-curl.sh"],
  ["`curl` in a loop until it succeeds", "sh", "rude-curl.sh"],
  ["`fetch` with retries and a growing delay", process.execPath, "naive-fetch.mjs"],
  ["undici's `RetryAgent` with its defaults", process.execPath, "retry-agent.mjs"],
  ["`pets`", "sh", "pets.sh"],
  ["Python that waits and repeats `POST` too", "python3", "retries.py"],
] as const;

const faults = ["--fault", "429:0.1,reset:0.05,500:0.05", "--fault-seed", "42"];
const folder = mkdtempSync(path.join(tmpdir(), "pets-bench-"));
const reportFile = path.join(folder, "report.json");

/** Checks a client, and prints its report; returns its line of the table. */
function check([title, program, file]: (typeof clients)[number]): string {
  const env = { PATH: process.env.PATH ?? "", HOME: folder };
  const command = [program, path.join(import.meta.dirname, "clients", file)];
  const words = [script, "serve", "--check", "--report", reportFile, ...faults, "--", ...command];
  const { status, stderr } = spawnSync(process.execPath, words, { env, encoding: "utf8" });
  console.log(`${file}\n${stderr}`);
  const { requests, early, duplicates } = JSON.parse(readFileSync(reportFile, "utf8"));
  const total = Object.values<number>(requests).reduce((sum, count) => sum + count, 0);
  const cells = [total, early, duplicates.length, status === 0 ? "passed" : "failed"];
  return `| ${[title, ...cells].join(" | ")} |`;
}

try {
  const lines = clients.map(check);
  console.log(["| client | requests | early | added twice | check |", ...lines].join("\n"));
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
