// Prints what `pets serve --check` reports for six clients: the table of README.md, and one full report.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { script } from "../support/program/program.ts";
import { type CheckedClient, checkedClients, checkWords } from "./check-clients.ts";

const folder = mkdtempSync(path.join(tmpdir(), "pets-bench-"));
const reportFile = path.join(folder, "report.json");

/** Checks a client; returns its line of the table, and the output on standard error. */
function check(client: CheckedClient): { readonly line: string; readonly said: string } {
  const env = { PATH: process.env.PATH ?? "", HOME: folder };
  const words = [script, ...checkWords(client, reportFile)];
  const { status, stderr } = spawnSync(process.execPath, words, { env, encoding: "utf8" });
  const { requests, early, duplicates } = JSON.parse(readFileSync(reportFile, "utf8"));
  const total = Object.values<number>(requests).reduce((sum, count) => sum + count, 0);
  const cells = [total, early, duplicates.length, status === 0 ? "passed" : "failed"];
  return { line: `| ${[client.title, ...cells].join(" | ")} |`, said: stderr };
}

try {
  const lines: string[] = [];
  for (const client of checkedClients) {
    const { line, said } = check(client);
    console.log(`${client.file}\n${said}`);
    lines.push(line);
  }
  console.log(["| client | requests | early | added twice | check |", ...lines].join("\n"));
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
