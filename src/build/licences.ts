import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/**
 * The licence texts of all packages whose files are in a bundle, as one text. `inputs` are paths
 * relative to `root`. Throws when a bundled package has no licence file: it could not be shipped.
 */
export function bundledLicences(root: string, inputs: readonly string[]): string {
  const folders = new Set(inputs.map(packageFolder).filter((folder) => folder !== undefined));
  const texts = [...folders].sort().map((folder) => licenceOf(path.join(root, folder)));
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

/** The folder of the package that holds the file `input`, or undefined for our own files. */
function packageFolder(input: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
}

function licenceOf(folder: string): string {
  const manifest: unknown = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  const { name, version, license } = Object(manifest);
  const file = readdirSync(folder).find((entry) => /^(?:licen[cs]e|copying)/i.test(entry));
  if (file === undefined) return shortLicence(folder, `${name} ${version} (${license})`);
  return `${name} ${version} (${license})\n\n${readFileSync(path.join(folder, file), "utf8")}`;
}

/** Some packages carry their licence in the README alone. */
function shortLicence(folder: string, title: string): string {
  const readme = path.join(folder, "README.md");
  const text = existsSync(readme) ? readFileSync(readme, "utf8") : "";
  const section = /^#+\s*licen[cs]e[\s\S]*/im.exec(text)?.[0];
  if (section === undefined) throw new Error(`${title} has no licence text to ship`);
  return `${title}\n\n${section}`;
}
