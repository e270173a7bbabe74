import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** What may be bundled: these ask for no more than that their text goes along (SPDX identifiers). */
const allowed = new Set(["0BSD", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"]);

/** Code of others that a package carries, under the same licence, without saying so in a file. */
const carried = [
  {
    name: "llhttp",
    files: /\/undici\/lib\/llhttp\//,
    license: "MIT",
    copyright: "Copyright Fedor Indutny, 2018.",
  },
] as const;

/** Packages under the MIT licence whose text is in their repository alone, and its copyright line. */
const unshipped: Readonly<Record<string, string>> = {
  "@redis/client": "Copyright (c) 2022-2025, Redis, inc.",
};

interface Licence {
  readonly title: string;
  readonly text: string;
}

/**
 * The licence texts of all packages whose files are in a bundle, as one text; where several have the
 * same one, it stands once below their names. `inputs` are paths relative to `root`. Throws when a
 * bundled package has no licence text, or one that is not allowed: it could not be shipped.
 */
export function bundledLicences(root: string, inputs: readonly string[]): string {
  const folders = new Map<string, string[]>();
  for (const input of inputs) {
    const folder = packageFolder(input);
    if (folder !== undefined) folders.set(folder, [...(folders.get(folder) ?? []), input]);
  }
  const licences = [...folders].flatMap(([folder, files]) =>
    licencesOf(path.join(root, folder), files),
  );
  const titles = new Map<string, Set<string>>();
  for (const { title, text } of licences.toSorted((one, other) =>
    one.title < other.title ? -1 : 1,
  ))
    titles.set(text, (titles.get(text) ?? new Set()).add(title));
  return [...titles]
    .map(([text, names]) => `${[...names].join("\n")}\n\n${text}\n`)
    .join(`\n${"-".repeat(80)}\n\n`);
}

/** The folder of the package that holds the file `input`, or undefined for our own files. */
function packageFolder(input: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
}

/** The licence of the package in `folder`, and those of what it carries in `files`. */
function licencesOf(folder: string, files: readonly string[]): Licence[] {
  const manifest: unknown = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  const { name, version, license } = Object(manifest);
  const title = `${name} ${version} (${license})`;
  if (!allowed.has(license)) throw new Error(`${title} has a licence that may not be bundled`);
  const copyright = license === "MIT" ? unshipped[name] : undefined;
  const text =
    copyright === undefined
      ? tidy(licenceText(folder, title))
      : withCopyright(tidy(ownLicence()), copyright, title);
  const others = carried.filter((part) => files.some((file) => part.files.test(file)));
  return [
    { title, text },
    ...others.map((part) => ({
      title: `${part.name}, in ${name} ${version} (${part.license})`,
      text: withCopyright(text, part.copyright, title),
    })),
  ];
}

/** Our own licence is the MIT licence too. */
function ownLicence(): string {
  return readFileSync(path.resolve(import.meta.dirname, "../../LICENSE"), "utf8");
}

function licenceText(folder: string, title: string): string {
  const file = readdirSync(folder).find((entry) => /^(?:licen[cs]e|copying)/i.test(entry));
  if (file !== undefined) return readFileSync(path.join(folder, file), "utf8");
  // Some packages carry their licence in the README alone.
  const readme = path.join(folder, "README.md");
  const text = existsSync(readme) ? readFileSync(readme, "utf8") : "";
  const section = /^#+\s*licen[cs]e[^\n]*\n([\s\S]*)/im.exec(text)?.[1];
  if (section === undefined || !/permi|redistribution/i.test(section))
    throw new Error(`${title} has no licence text to ship`);
  return section;
}

function tidy(text: string): string {
  return text
    .replaceAll("\r", "")
    .replaceAll(/[ \t]+$/gm, "")
    .trim();
}

/** `text` with `copyright` in place of its own copyright line. */
function withCopyright(text: string, copyright: string, title: string): string {
  const replaced = text.replace(/^copyright .*$/im, copyright);
  if (!replaced.includes(copyright)) throw new Error(`${title} has no copyright line`);
  return replaced;
}
