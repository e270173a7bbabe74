import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { CodeCache } from "../../src/start/code-cache.ts";
import { Loader } from "../../src/start/loader.ts";

// Runs `once.js` in the folder that is given, with the code that earlier runs compiled, as the program is run.
const [folder = ""] = process.argv.slice(2);
const cache = new CodeCache(`${folder}/code`);
const loader = new Loader({
  folder,
  require: createRequire(import.meta.url),
  readText: (name) => readFileSync(`${folder}/${name}`, "utf8"),
  readBytes: (name) => readFileSync(`${folder}/${name}`),
  compiled: (name) => cache.compiled(name),
});
process.on("exit", () => {
  if (cache.isLearning) cache.keep(() => loader.compiledCode(), loader.fresh, true, process.pid);
});
loader.load("once.js");
