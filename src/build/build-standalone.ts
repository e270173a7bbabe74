import { statSync } from "node:fs";
import path from "node:path";
import { root } from "./bundle.ts";
import { buildStandalone, whyNoStandalone } from "./standalone.ts";

// Makes dist/standalone, after `npm run build`.
const dist = path.join(root, "dist");
const to = path.join(dist, "standalone");
const reason = whyNoStandalone();
if (reason === undefined) {
  await buildStandalone(dist, to);
  const mebibytes = (statSync(path.join(to, "pets")).size / 2 ** 20).toFixed(0);
  process.stdout.write(`${path.join(to, "pets")}: ${mebibytes} MiB\n`);
} else {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}
