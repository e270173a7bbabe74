import { createRequire, enableCompileCache } from "node:module";
import { setFlagsFromString } from "node:v8";

// Runs `once.cjs` in the given folder with the compile cache of earlier runs, like the program itself.
const [folder = ""] = process.argv.slice(2);
enableCompileCache(`${folder}/code`);
setFlagsFromString("--no-lazy");
createRequire(import.meta.url)(`${folder}/once.cjs`);
