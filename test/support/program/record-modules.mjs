// Loaded before the program by a test: records every module that it loads.
import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";

registerHooks({
  load(url, context, next) {
    appendFileSync(process.env.RECORD_MODULES, `${url}\n`);
    return next(url, context);
  },
});
