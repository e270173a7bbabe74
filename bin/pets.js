#!/usr/bin/env node
"use strict";

const oldest = [22, 19];
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  const wanted = `pets needs Node.js ${oldest.join(".")} or newer; this is ${process.versions.node}`;
  process.stderr.write(`${wanted} (or use the standalone binary)\n`);
  process.exitCode = 1;
} else {
  require("../dist/compile-cache.cjs").turnOnCompileCache(process);
  void require("../dist/main.cjs");
}
