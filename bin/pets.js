#!/usr/bin/env node
"use strict";

const oldest = [22, 19];
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  const wanted = `pets needs Node.js ${oldest.join(".")} or newer`;
  process.stderr.write(`pets: ${wanted}, and this is ${process.versions.node}\n`);
  process.exitCode = 1;
} else {
  // To look for the file as `require` does takes longer than to run it.
  const { readFileSync } = require("node:fs");
  const { Script } = require("node:vm");
  const folder = __dirname.replace(/bin$/, "dist");
  const filename = `${folder}/start.js`;
  new Script(readFileSync(filename, "utf8"), { filename }).runInThisContext()(
    process,
    folder,
    require,
  );
}
