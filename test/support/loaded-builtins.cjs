// Loaded before a program by a test: writes down which of Node's own modules were loaded in the end.
const { writeFileSync } = require("node:fs");

process.on("exit", () => {
  writeFileSync(process.env.LOADED_BUILTINS, process.moduleLoadList.join("\n"));
});
