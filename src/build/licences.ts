import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Third-party code that a package contains, under the same licence, without a licence file. */
const carried = [
  {
    name: "llhttp",
    files: /\/undici\/lib\/llhttp\//,
    license: "MIT",
    copyright: "Copyright Fedor Indutny, 2018.",
  },
] as const;

/** Packages under the MIT licence whose text is only in their repository, with its copyright line. */
const unshipped: Readonly<Record<string, string>> = {
  "@redis/client": "Copyright (c) 2022-2025, Redis, inc.",
};

const line = `\n${"-".repeat(80)}\n\n`;

interface Licence {
  readonly title: string;
  readonly text: string;
}

/**
 * Returns the licence texts of all packages whose files are in a bundle, as one text; a text that several
 * share appears once below their names. `inputs` are paths relative to `root`. Throws if a bundled
 * package has no licence text: it could not be shipped.
 */
export function bundledLicences(root: string, inputs: readonly string[]): string {
  const packages = Map.groupBy(
    inputs,
    (input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0],
  );
  const licences = [...packages].flatMap(([folder, files]) =>
    folder === undefined ? [] : licencesOf(path.join(root, folder), files),
  );
  const titles = Map.groupBy(
    licences.toSorted((one, other) => (one.title < other.title ? -1 : 1)),
    ({ text }) => text,
  );
  return [...titles]
    .map(([text, same]) => {
      const names = new Set(same.map(({ title }) => title));
      return `${[...names].join("\n")}\n\n${text}\n`;
    })
    .join(line);
}

/** Returns our licence, `bundled`, and that of Node, as one text. */
export function standaloneLicences(root: string, bundled: string, node: string): string {
  const ours = `pets\n\n${readFileSync(path.join(root, "LICENSE"), "utf8")}`;
  return [ours, bundled, `Node.js ${process.version}\n\n${node}`].join(line);
}

/** Returns the licence of the package in `folder`, and those of the third-party code in `files`. */
function licencesOf(folder: string, files: readonly string[]): Licence[] {
  const manifest: unknown = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  const { name, version, license } = Object(manifest);
  const title = `${name} ${version} (${license})`;
  const copyright = unshipped[name];
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

/** Returns our own licence, which is also the MIT licence. */
function ownLicence(): string {
  return readFileSync(path.resolve(import.meta.dirname, "../../LICENSE"), "utf8");
}

function licenceText(folder: string, title: string): string {
  const file = readdirSync(folder).find((entry) => /^(?:licen[cs]e|copying)/i.test(entry));
  if (file !== undefined) return readFileSync(path.join(folder, file), "utf8");
  // Some packages have their licence only in the README.
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

/** Returns `text` with `copyright` in place of its copyright line. */
function withCopyright(text: string, copyright: string, title: string): string {
  const replaced = text.replace(/^copyright .*$/im, copyright);
  if (!replaced.includes(copyright)) throw new Error(`${title} has no copyright line`);
  return replaced;
}
