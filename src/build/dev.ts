import "./source-hooks.ts";

// `npm run dev -- list` runs the program from its sources.
const { builtValues } = await import("./bundle.ts");
Object.assign(globalThis, await builtValues());
await import("../main.ts");
