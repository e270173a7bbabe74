import { readFileSync } from "node:fs";
import path from "node:path";
import { type LogLevel, rolldown, type RolldownLog } from "rolldown";

/** Lets a warning, such as an import that can't be resolved, fail a build. */
export function onLog(level: LogLevel, { message }: RolldownLog): void {
  if (level === "warn") throw new Error(message);
}

const withoutIndent = (text: string): string => text.replaceAll(/\n\s*/g, "\n");

/** Builds the page of `pets serve`: one HTML file that contains its script, of these `modules`, and its style. */
export async function buildPage(root: string) {
  const folder = path.join(root, "src/server/page/app");
  const read = (name: string): string => readFileSync(path.join(folder, name), "utf8");
  const build = await rolldown({
    cwd: root,
    input: path.join(folder, "main.tsx"),
    tsconfig: path.join(folder, "tsconfig.json"),
    transform: { target: "es2024" },
    onLog,
  });
  const { output } = await build.generate({ format: "iife", minify: true, comments: false });
  // Text inside an HTML element may not contain what ends it.
  const [{ code, modules }] = output;
  const script = code.trim().replaceAll("</", String.raw`<\/`);
  const html = withoutIndent(read("page.html"))
    .replace("/* style */", () => withoutIndent(read("style.css")).trim())
    .replace("/* script */", () => script);
  return { html, modules: Object.keys(modules) };
}
