import { Script } from "node:vm";
import type { CompiledCode } from "./code-pack.ts";

/** Where a Loader has its modules from. */
export interface LoaderSource {
  /** What the modules take for their folder. */
  readonly folder: string;
  /** The text of a file of the program. Throws where there is none. */
  readText(name: string): string;
  /** What is in a file that holds no text. Throws where there is none. */
  readBytes(name: string): Uint8Array;
  /** What V8 compiled of a file before. */
  compiled(name: string): Uint8Array | undefined;
  /** Answers Node's own modules. */
  readonly require: NodeJS.Require;
}

interface Module {
  exports: unknown;
}

/** What a file of `dist` is: a CommonJS module as a function. */
type ModuleFunction = (
  exports: unknown,
  require: (id: string) => unknown,
  module: Module,
  file: string,
  folder: string,
) => void;

/**
 * Loads the modules of `dist`, as Node's `require` does but for compiled code. Node keeps what was
 * compiled when a file was loaded, and compiles again at every start what is only run later; a
 * Loader tells all that was compiled up to the moment at which it is asked.
 */
export class Loader {
  readonly #source: LoaderSource;
  readonly #loaded = new Map<string, { readonly script: Script; readonly module: Module }>();
  readonly #fresh = new Set<string>();

  constructor(source: LoaderSource) {
    this.#source = source;
  }

  /** The modules that were loaded though no compiled code was known of them, or none that this Node takes. */
  get fresh(): ReadonlySet<string> {
    return this.#fresh;
  }

  /** The exports of the module in the file `name`, which is run when it is first asked for. */
  load(name: string): unknown {
    return (this.#loaded.get(name)?.module ?? this.#run(name)).exports;
  }

  /** What V8 has compiled of each module, the functions included that were compiled when they ran. */
  compiledCode(): CompiledCode {
    return new Map(
      [...this.#loaded].map(([name, { script }]) => [name, script.createCachedData()]),
    );
  }

  #run(name: string): Module {
    const { folder } = this.#source;
    const script = this.#compile(name);
    const module: Module = { exports: {} };
    this.#loaded.set(name, { script, module });
    const run: ModuleFunction = script.runInThisContext();
    run(module.exports, (id) => this.#require(id), module, `${folder}/${name}`, folder);
    return module;
  }

  #compile(name: string): Script {
    const { folder } = this.#source;
    const cachedData = this.#source.compiled(name);
    const script = new Script(this.#source.readText(name), {
      filename: `${folder}/${name}`,
      cachedData,
    });
    if (cachedData === undefined || script.cachedDataRejected) this.#fresh.add(name);
    return script;
  }

  #require(id: string): unknown {
    if (!id.startsWith("./")) return this.#source.require(id);
    const name = id.slice(2);
    return name.endsWith(".wasm") ? this.#source.readBytes(name) : this.load(name);
  }
}
