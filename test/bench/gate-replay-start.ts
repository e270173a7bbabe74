import { createRequire, enableCompileCache } from "node:module";
import { setFlagsFromString } from "node:v8";

// Runs `once.cjs` in the folder that is given, with the code that earlier runs compiled, as the program is run.
const [folder = ""] = process.argv.slice(2);
enableCompileCache(`${folder}/code`);
setFlagsFromString("--no-lazy");
createRequire(import.meta.url)(`${folder}/once.cjs`);
