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

// Node's own choice is below the shared temporary folder, where others may lay code for us to run.
function cacheFolder() {
  const { NODE_COMPILE_CACHE, XDG_CACHE_HOME, HOME, LOCALAPPDATA } = process.env;
  if (NODE_COMPILE_CACHE) return NODE_COMPILE_CACHE;
  const { isAbsolute, join } = process.getBuiltinModule("node:path");
  const caches = [XDG_CACHE_HOME, HOME && join(HOME, ".cache"), LOCALAPPDATA];
  const cache = caches.find((path) => path && isAbsolute(path));
  if (!cache) return undefined;
  const folder = join(cache, "pets");
  try {
    process.getBuiltinModule("node:fs").mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  } catch {
    return undefined;
  }
}
