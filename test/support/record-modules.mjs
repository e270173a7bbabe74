// Loaded before the program by a test: writes down every module that it loads.
import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import vm from "node:vm";

const record = (url) => appendFileSync(process.env.RECORD_MODULES, `${url}\n`);

registerHooks({
  load(url, context, next) {
    record(url);
    return next(url, context);
  },
});

// The program loads its own files by itself.
vm.Script = class extends vm.Script {
  constructor(code, options) {
    record(pathToFileURL(options.filename).href);
    super(code, options);
  }
};
