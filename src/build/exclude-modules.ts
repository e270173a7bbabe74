import type { Plugin } from "rolldown";

/** A module that a package imports and that is not bundled: what matches the importing file, and the import. */
export interface ExcludedModule {
  readonly importer: RegExp;
  readonly path: RegExp;
  /** What a call of its exports does: by default it throws; else nothing, or return a function that does nothing. */
  readonly call?: "ignore" | "subscribe";
}

const prefix = "\0excluded:";

/** Leaves `modules` out of the bundle. Fails if nothing imports one, so that the list stays up to date. */
export function excludeModules(modules: readonly ExcludedModule[]): Plugin {
  const unmatched = new Set(modules);
  return {
    name: "exclude-modules",
    resolveId(path, importer = "") {
      const found = modules.find((one) => one.importer.test(importer) && one.path.test(path));
      if (found === undefined) return undefined;
      unmatched.delete(found);
      return `${prefix}${found.call ?? "throw"}:${path}`;
    },
    load: (id) => (id.startsWith(prefix) ? emptyModule(id.slice(prefix.length)) : undefined),
    buildEnd() {
      for (const { path } of unmatched) this.error(`no import matches ${path}, excluded here`);
    },
  };
}

/** Returns a CommonJS module all of whose exports are one function. */
function emptyModule(id: string): string {
  const [, call, path] = /^(\w+):(.*)$/s.exec(id) ?? [];
  const message = JSON.stringify(`${path} is excluded from the bundle`);
  const body = { ignore: "", subscribe: "return () => {};" }[call ?? ""];
  return `function excluded() { ${body ?? `throw new Error(${message})`} }
    module.exports = new Proxy(excluded, { get: (_target, name) => name === "__esModule" ? false : excluded });`;
}
