import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Code under the MIT licence without a file of it: its place in `node_modules`, and its copyright line. */
const unshipped: Readonly<Record<string, string>> = {
  "@redis/client": "Copyright (c) 2022-2025, Redis, inc.",
  "pg-types": "Copyright (c) 2014 Brian M. Carlson",
  pgpass: "Copyright (c) 2013-2016 Hannes Hörl",
  "undici/lib/llhttp": "Copyright Fedor Indutny, 2018.",
};

const line = `\n${"-".repeat(80)}\n\n`;

/** Returns the licences of all packages in a bundle of `inputs`. Throws if one has none: it could not be shipped. */
export function bundledLicences(root: string, inputs: readonly string[]): string {
  const pattern = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)(?:\/lib\/llhttp)?/;
  const folders = inputs.flatMap((input) => pattern.exec(input)?.[0] ?? []);
  const named = [...new Set(folders)].sort();
  return named.map((folder) => licenceOf(root, folder)).join(line);
}

/** Returns our licence, `bundled`, and that of Node, as one text. */
export function standaloneLicences(root: string, bundled: string, node: string): string {
  return [`pets\n\n${ownLicence(root)}`, bundled, `Node.js ${process.version}\n\n${node}`].join(
    line,
  );
}

const ownLicence = (root: string): string => readFileSync(path.join(root, "LICENSE"), "utf8");

/** Returns the name and the licence text of a package, or of other code that one contains. */
function licenceOf(root: string, folder: string): string {
  const [, name = ""] = /node_modules\/(.*)$/.exec(folder) ?? [];
  const files = path.join(root, folder);
  const read = (file: string): string => readFileSync(path.join(files, file), "utf8");
  // A part of a package has no manifest.
  const isPart = name.includes("/lib/");
  const { version, license }: Record<string, unknown> = isPart
    ? {}
    : JSON.parse(read("package.json"));
  const title = isPart ? `${name} (MIT)` : `${name} ${String(version)} (${String(license)})`;
  const copyright = unshipped[name];
  // Our own licence is the MIT licence.
  if (copyright !== undefined)
    return `${title}\n\n${ownLicence(root).replace(/^copyright .*$/im, copyright)}`;
  const file = readdirSync(files).find((entry) => /^(?:licen[cs]e|copying)/i.test(entry));
  if (file === undefined) throw new Error(`${title} has no licence text to ship`);
  return `${title}\n\n${read(file).trim()}\n`;
}
