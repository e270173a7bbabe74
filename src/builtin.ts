import { createRequire } from "node:module";

/** Node's own modules that take long to load, and that most runs do not need. */
interface Builtins {
  readonly "node:http": typeof import("node:http");
  readonly "node:os": typeof import("node:os");
  readonly "node:sea": typeof import("node:sea");
  readonly "node:stream": typeof import("node:stream");
  readonly "node:tty": typeof import("node:tty");
}

let require: NodeJS.Require | undefined;

/** One of Node's own modules, loaded when it is first asked for, where an `import()` can't be awaited. */
export function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] {
  require ??= createRequire(import.meta.filename);
  return require(name);
}
