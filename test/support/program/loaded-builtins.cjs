// Loaded before a program by a test: records which of Node's own modules were loaded at its end.
const { writeFileSync } = require("node:fs");

process.on("exit", () => {
  writeFileSync(process.env.LOADED_BUILTINS, process.moduleLoadList.join("\n"));
});
