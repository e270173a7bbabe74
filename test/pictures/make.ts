// Makes the pictures of the README again, from what the built program does on a real terminal.
import { statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { browserAvailable } from "../support/browser/chromium.ts";
import { ptyAvailable } from "../support/program/pty.ts";
import { filmSvg } from "./film.ts";
import { framesOf } from "./frames.ts";
import { pagePicture } from "./page.ts";
import { record } from "./record.ts";
import { importing, type Picture } from "./scenes.ts";
import { chooseStill } from "./still.ts";

/** How long the last frame of the film is shown, in ms, before it repeats. */
const lastFrame = 4000;

if (!ptyAvailable)
  throw new Error("the pictures need util-linux's `script`, which gives a terminal");
const { scene } = importing;
const frames = await framesOf(await record(scene), scene);
const length = (frames.at(-1)?.at ?? 0) + lastFrame;
const { columns, rows } = scene;
save(
  importing,
  filmSvg(frames, { ...importing, columns, rows, length, still: chooseStill(frames) }),
);

if (!browserAvailable) throw new Error("the picture of the page needs Chromium");
const png = await pagePicture();
writeFileSync(path.join(import.meta.dirname, "page-request.png"), png);
console.log(`page-request.png  ${png.length} bytes`);

function save({ file }: Picture, svg: string): void {
  const target = path.join(import.meta.dirname, file);
  writeFileSync(target, svg);
  console.log(`${path.relative("", target)}  ${statSync(target).size} bytes`);
}
