#!/usr/bin/env node
const oldest = [22, 19];
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  const wanted = `pets needs Node.js ${oldest.join(".")} or newer`;
  process.stderr.write(`pets: ${wanted}, and this is ${process.versions.node}\n`);
  process.exitCode = 1;
} else {
  // An import of node:module would read all its getters, and load half of Node.
  const { createRequire, enableCompileCache } = process.getBuiltinModule("node:module");
  const folder = cacheFolder();
  if (folder !== undefined) enableCompileCache(folder);
  createRequire(import.meta.url)("../dist/main.cjs");
}

// Node's own choice below the shared temporary folder has a name that others can make first, and what
// they lay there would run as this user: ours is only used when nobody else can write to it.
function cacheFolder() {
  if (process.env.NODE_COMPILE_CACHE) return process.env.NODE_COMPILE_CACHE;
  const { lstatSync, mkdirSync } = process.getBuiltinModule("node:fs");
  const user = process.getuid?.();
  const folder = `${process.getBuiltinModule("node:os").tmpdir()}/pets-cache-${user ?? "user"}`;
  try {
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined)
      mkdirSync(folder, { mode: 0o700 });
    const found = lstatSync(folder);
    const isOurs = user === undefined || (found.uid === user && (found.mode & 0o77) === 0);
    return found.isDirectory() && isOurs ? folder : undefined;
  } catch {
    return undefined;
  }
}
