#!/usr/bin/env node
"use strict";

const oldest = [22, 19];
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  const root = require("node:path").dirname(__dirname);
  // An installed package cannot be built.
  const other = require("node:fs").existsSync(`${root}/src`)
    ? `, or run \`npm run build:binary\` in ${root}: it makes dist/standalone/pets, which contains Node.js`
    : "";
  process.stderr.write(
    `pets: this is Node.js ${process.versions.node}; pets needs ${oldest.join(".")} or newer\n` +
      `Install a newer Node.js (https://nodejs.org)${other}.\n`,
  );
  process.exitCode = 1;
} else {
  // As in src/main.ts, before Node makes the directory of its cache.
  process.umask(process.umask() & 0o077);
  require("../dist/compile-cache.cjs").cacheCompiledCode(process.env, process.platform);
  // Only then can a stack name the sources, and reading their maps takes time.
  if (process.argv.some((word) => /^-[a-z]*v|^--verbose$/i.test(word)))
    process.setSourceMapsEnabled(true);
  void require("../dist/main.cjs");
}
