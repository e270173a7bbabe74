import { writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryFolder } from "../program/program.ts";
import type { TestStore } from "./store.ts";

export const nameOf = (line: number): string => `Pet ${line}`;

/** Returns an NDJSON file of this many animals. */
export function petsFile(count: number): string {
  const file = path.join(temporaryFolder(), "pets.ndjson");
  const lines = Array.from(
    { length: count },
    (_none, i) => `${JSON.stringify({ name: nameOf(i + 1), categoryId: i })}\n`,
  );
  writeFileSync(file, lines.join(""));
  return file;
}

/** Returns the names of all animals in a store, in the order in which they were added. */
export async function namesIn({ storage }: Pick<TestStore, "storage">): Promise<string[]> {
  const page = await storage.list({ limit: 1_000_000, status: undefined });
  const pets = JSON.parse(Buffer.from(page).toString()) as { readonly name: string }[];
  return pets.map(({ name }) => name).toReversed();
}

export interface RowLine {
  readonly line: number;
  readonly outcome: "added" | "rejected" | "unknown";
  readonly pet?: { readonly id: number; readonly name: string };
  readonly error?: { readonly code: string; readonly message: string; readonly exitCode: number };
}

/** Returns the lines of `-o ndjson`, without one that was cut off by a kill. */
export function rowLines(stdout: string): RowLine[] {
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as RowLine);
}

/** Returns each name that occurs more than once. */
export function twice(names: readonly string[]): string[] {
  return names.filter((name, i) => names.indexOf(name) !== i);
}
