#!/usr/bin/env node
"use strict";

const oldest = [22, 19];
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  const source = require("node:path").dirname(__dirname);
  process.stderr.write(
    `pets: this is Node.js ${process.versions.node}; pets needs ${oldest.join(".")} or newer\n` +
      `without a newer one, run \`npm run build:binary\` in ${source}: it makes dist/standalone/pets, which contains Node\n`,
  );
  process.exitCode = 1;
} else {
  require("../dist/compile-cache.cjs").turnOnCompileCache(process);
  void require("../dist/main.cjs");
}
