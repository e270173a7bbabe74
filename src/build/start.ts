// `npm start` builds the program, shows it at work, and says what comes next.
import { spawnSync } from "node:child_process";
import path from "node:path";

await import("./build.ts");
const pets = path.resolve(import.meta.dirname, "../../bin/pets.js");
const words = "serve --memory --seed 24 -- pets list --status available".split(" ");
const { status } = spawnSync(process.execPath, [pets, ...words], { stdio: "inherit" });
if (status === 0)
  process.stdout.write(`
Next: npm link puts pets on your PATH (with Node.js 22.19 or newer; otherwise: npm run build:binary).
Then try pets serve --memory --seed 50, and pets help.
`);
process.exitCode = status ?? 1;
