import { readFileSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";

/** Builds the page of `pets serve`: one HTML file that contains its script and style. */
export async function buildPage(root: string): Promise<string> {
  const folder = path.join(root, "src/server/page/app");
  const read = (name: string): string => readFileSync(path.join(folder, name), "utf8");
  const build = await rolldown({
    cwd: root,
    input: path.join(folder, "main.tsx"),
    tsconfig: path.join(folder, "tsconfig.json"),
    transform: { target: "es2024" },
  });
  const { output } = await build.generate({ format: "iife", minify: true, comments: false });
  const oneLine = (text: string): string => text.replaceAll(/\n\s*/g, "\n");
  // Text inside an HTML element may not contain what ends it.
  const script = output[0].code.trim().replaceAll("</", String.raw`<\/`);
  return oneLine(read("page.html"))
    .replace("/* style */", () => oneLine(read("style.css")).trim())
    .replace("/* script */", () => script);
}
