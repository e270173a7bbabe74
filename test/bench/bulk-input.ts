// Measures how long a million rows take to be read and checked, and the memory: `pets add --dry-run`
// reads them twice, and prints them; with `--results`, once more, and writes them.
import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { petsCommand } from "./pets-command.ts";

const rows = Number(process.argv[2] ?? 1_000_000);
const boundMb = 110;

const jsonRow = (index: number): string =>
  `{"name":"Zoë the ${index}th","categoryId":${index},"status":"available"}`;

const formats = {
  ndjson: { start: "", row: jsonRow, between: "\n", end: "\n" },
  json: { start: "[\n", row: jsonRow, between: ",\n", end: "\n]\n" },
  csv: {
    start: "name,categoryId,status\r\n",
    row: (index: number) => `"Zoë the ${index}th",${index},available`,
    between: "\r\n",
    end: "\r\n",
  },
};

// Reports the peak memory.
const hook =
  "data:text/javascript,process.on('exit',()=>console.error(process.resourceUsage().maxRSS/1024))";

const folder = mkdtempSync(path.join(tmpdir(), "pets-bench-"));
try {
  for (const ending of ["ndjson", "json", "csv"] as const) {
    const file = path.join(folder, `animals.${ending}`);
    writeAnimals(file, formats[ending]);
    for (const more of [[], ["--results", path.join(folder, `results.${ending}`)]]) {
      const { ms, mb } = dryRun(file, more);
      const verdict = mb < boundMb ? "yes" : "NO";
      const time = `${(ms / 1000).toFixed(1)} s`;
      const what = `${rows} rows of ${ending}${more.length > 0 ? ", results" : ""}`;
      console.log(`${what.padEnd(32)} ${time}  ${mb.toFixed(0)} MB < ${boundMb} ${verdict}`);
      if (mb >= boundMb) process.exitCode = 1;
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function writeAnimals(file: string, { start, row, between, end }: (typeof formats)["csv"]): void {
  const fd = openSync(file, "w");
  writeSync(fd, start);
  for (let from = 0; from < rows; from += 1000) {
    const count = Math.min(1000, rows - from);
    const text = Array.from({ length: count }, (_, index) => row(from + index)).join(between);
    writeSync(fd, (from === 0 ? "" : between) + text);
  }
  writeSync(fd, end);
  closeSync(fd);
}

function dryRun(file: string, more: readonly string[]): { ms: number; mb: number } {
  const [node, script] = petsCommand;
  const args = [
    "--import",
    hook,
    script,
    "add",
    "--from",
    file,
    ...more,
    "--dry-run",
    "-q",
    "-o",
    "ndjson",
  ];
  const start = performance.now();
  const { status, stderr } = spawnSync(node, args, {
    stdio: ["ignore", openSync("/dev/null", "w"), "pipe"],
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return { ms: performance.now() - start, mb: Number(stderr) };
}
