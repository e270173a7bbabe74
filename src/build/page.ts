import { readFileSync } from "node:fs";
import path from "node:path";
import { build, type Metafile } from "esbuild";

/** The page as one HTML file, and what it was made of. */
interface BuiltPage {
  readonly html: string;
  readonly inputs: Metafile["inputs"];
}

const folder = "src/server/page/app";

/** Builds the page of `pets serve`: one HTML file that contains its script and style. */
export async function buildPage(root: string): Promise<BuiltPage> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [`${folder}/main.tsx`, `${folder}/style.css`],
    outdir: "page",
    tsconfig: path.join(root, folder, "tsconfig.json"),
    bundle: true,
    write: false,
    format: "iife",
    target: "es2024",
    minify: true,
    // The bundle is inside an HTML element, which plain ASCII can't end early.
    charset: "ascii",
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  const textOf = (ending: string): string => {
    const file = outputFiles.find(({ path: name }) => name.endsWith(ending));
    if (file === undefined) throw new Error(`the page has no ${ending}`);
    return file.text.trim().replaceAll("</", "<\\/");
  };
  const template = readFileSync(path.join(root, folder, "page.html"), "utf8");
  const html = template
    .replaceAll(/\n\s*/g, "\n")
    .replace("/* style */", () => textOf(".css"))
    .replace("/* script */", () => textOf(".js"));
  return { html, inputs: metafile.inputs };
}
