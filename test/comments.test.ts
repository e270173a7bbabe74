import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.dirname(import.meta.dirname);
const files = ["src", "test", "bin"]
  .flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" }).map((file) =>
      path.join(folder, file),
    ),
  )
  .filter(
    (file) => /\.(?:[cm]?[jt]s|tsx)$/.test(file) && file !== path.join("test", "comments.test.ts"),
  );

/** Documents that are not in this repository: a comment cites `help TOPIC`, or src/server/README.md. */
const elsewhere =
  /(?<![\w/-])(?:contract|store|api|rate-limits|house|names|wording|architecture)\.md\b/;

it("no comment cites a document that is not here", () => {
  const citing = files.flatMap((file) =>
    readFileSync(path.join(root, file), "utf8")
      .split("\n")
      .flatMap((line, index) =>
        elsewhere.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
      ),
  );
  expect(citing).toEqual([]);
});
