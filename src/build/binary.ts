import { statSync } from "node:fs";
import path from "node:path";
import { buildStandalone, whyNoStandalone } from "./standalone.ts";

// Makes dist/standalone from what `npm run build` has made.
const root = path.resolve(import.meta.dirname, "../..");
const to = path.join(root, "dist/standalone");
const reason = whyNoStandalone();
if (reason === undefined) {
  await buildStandalone(root, to);
  const mebibytes = (statSync(path.join(to, "pets")).size / 2 ** 20).toFixed(0);
  process.stdout.write(`${path.join(to, "pets")}: ${mebibytes} MiB\n`);
} else {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}
