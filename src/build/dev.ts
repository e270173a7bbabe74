// `npm run dev -- list` runs the program from its sources.
await import("./source-hooks.ts");
const { builtValues } = await import("./bundle.ts");
Object.assign(globalThis, builtValues());
await import("../main.ts");
