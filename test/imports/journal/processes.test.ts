import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { journalFile, type JournalRef, readJournal } from "../../../src/imports/journal/read.ts";
import { key } from "../support/journal-records.ts";
import { newPlace, open } from "../support/journals.ts";

const script = fileURLToPath(new URL("../support/journal-writer.ts", import.meta.url));

const argumentsFor = ({ folder, name, rows }: JournalRef): string[] => [
  script,
  folder,
  name,
  `${rows}`,
  key,
];

interface Writer {
  readonly child: ChildProcess;
  readonly lines: readonly string[];
  /** Resolves when it has ended, and all of its output is in `lines`. */
  readonly closed: Promise<unknown>;
}

/** Starts a process that continues the journal; `lines` is its output. */
function startWriter(place: JournalRef): Writer {
  const stdio = ["ignore", "pipe", "inherit"] as const;
  const child = spawn(process.execPath, argumentsFor(place), { stdio: [...stdio] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  let rest = "";
  // An unfinished line at a kill does not count: readline would return it as the last one.
  child.stdout.setEncoding("latin1").on("data", (text: string) => {
    const parts = `${rest}${text}`.split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
  });
  return { child, lines, closed: once(child, "close") };
}

/** Returns the rows that were sent, in order. */
function sentRows({ folder }: JournalRef): readonly number[] {
  const file = path.join(folder, "sent");
  return existsSync(file) ? readFileSync(file, "latin1").trim().split("\n").map(Number) : [];
}

describe("processes that are killed", () => {
  it("send no row twice, and leave in doubt at most one each", { timeout: 120_000 }, async () => {
    const place = newPlace(6000);
    const told = new Set<number>();
    const doubtful: number[] = [];
    let kills = 0;
    for (; ; kills += 1) {
      const { child, lines, closed } = startWriter(place);
      while (lines.length < 50 && child.exitCode === null) await delay(1);
      await delay(Math.random() * 40);
      child.kill("SIGKILL");
      await closed;
      for (const line of lines) if (line.startsWith("added")) told.add(Number(line.slice(6)));
      const found = readJournal(place);
      if (found === undefined) throw new Error("there is no journal");
      for (const row of told) expect(found.state(row)).toBe("added");
      for (const row of sentRows(place)) expect(found.state(row)).not.toBe("unsent");
      doubtful.length = 0;
      for (let row = 0; row < place.rows; row += 1)
        if (found.state(row) === "sent") doubtful.push(row);
      expect(doubtful.length).toBeLessThanOrEqual(kills + 1);
      if (lines.at(-1) === "finished") break;
      expect(lines.every((line) => line.startsWith("added"))).toBe(true);
    }
    const sent = sentRows(place);
    expect(new Set(sent).size).toBe(sent.length);
    const missing = Array.from({ length: place.rows }, (_, row) => row).filter(
      (row) => !sent.includes(row),
    );
    expect(doubtful).toEqual(expect.arrayContaining(missing));
    expect(readJournal(place)?.counts).toMatchObject({
      unsent: 0,
      added: place.rows - doubtful.length,
    });
    expect(kills).toBeGreaterThanOrEqual(1);
  });

  it("hold no lock, unlike living ones", async () => {
    const place = newPlace(1_000_000);
    const { child, lines, closed } = startWriter(place);
    while (lines.length === 0) await delay(5);
    expect(() => open(place)).toThrow("another run of this input is in progress");
    const second = startWriter(place);
    await second.closed;
    expect(second.lines).toEqual([
      `usage: another run of this input is in progress (journal ${journalFile(place)})`,
    ]);
    child.kill("SIGKILL");
    await closed;
    expect(open(place).counts.added).toBeGreaterThanOrEqual(lines.length);
  });
});

describe("a full disk", () => {
  it("ends a run after its complete records, and it continues when there is room again", async () => {
    const place = newPlace(1000);
    const blocks = 8;
    const limited = `ulimit -f ${blocks}; exec "$@"`;
    const run = ["-c", limited, "bash", process.execPath, ...argumentsFor(place)];
    const { stdout } = spawnSync("bash", run, { encoding: "utf8" });
    expect(stdout.trim().split("\n").at(-1)).toContain(
      `io: the journal ${journalFile(place)} can't be written: file too large`,
    );
    expect(statSync(journalFile(place)).size).toBeLessThanOrEqual(blocks * 1024);
    expect(readFileSync(journalFile(place), "latin1")).toMatch(/\n$/);
    const added = stdout.split("\n").filter((line) => line.startsWith("added")).length;
    expect(added).toBeGreaterThan(50);
    expect(readJournal(place)?.counts.added).toBe(added);
    const { lines, closed } = startWriter(place);
    await closed;
    expect(lines.at(-1)).toBe("finished");
    const sent = sentRows(place);
    expect(new Set(sent).size).toBe(sent.length);
  });
});

// Root may write everywhere, unless it lacks this capability (capabilities(7)).
const capability = "--bounding-set=-dac_override,-dac_read_search";
const [program, ...words] =
  process.getuid?.() === 0 ? ["setpriv", capability, process.execPath] : [process.execPath];
const modesHold = spawnSync(program, [...words, "--check", script]).status === 0;

describe.runIf(modesHold)("a user who may not write there", () => {
  it("sends nothing", () => {
    const place = newPlace();
    mkdirSync(place.folder, { recursive: true });
    chmodSync(place.folder, 0o500);
    const { stdout } = spawnSync(program, [...words, ...argumentsFor(place)], { encoding: "utf8" });
    expect(stdout).toMatch(
      /^io: the journal .+\.journal can't be locked with .+\.lock: permission denied/,
    );
    expect(sentRows(place)).toEqual([]);
  });
});
