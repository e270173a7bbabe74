import { outputFormats } from "../core/enums.ts";
import { CodeCache, ensureOwnFolder } from "./code-cache.ts";
import type { CodePack } from "./code-pack.ts";
import { Loader } from "./loader.ts";

/** Names the build: the files of two builds are the same where this is. */
declare const PETS_BUILD: string;
/** The names of the commands, with blanks between. */
declare const PETS_COMMANDS: string;

/** What is needed of `process`. */
export interface StartProcess {
  readonly argv: readonly string[];
  readonly execArgv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly pid: number;
  readonly version: string;
  readonly arch: string;
  readonly platform: string;
  readonly getuid?: () => number;
  on(event: "exit", listener: (code: number) => void): unknown;
}

/** The program's own files. */
export interface ProgramFiles {
  /** What the program takes for the folder that they are in. */
  readonly folder: string;
  /** The text of one of them. Throws where there is none. */
  readText(name: string): string;
  /** What is in one of them that holds no text. Throws where there is none. */
  readBytes(name: string): Uint8Array;
  /** The code that was compiled for this command when the program was built. */
  shipped?(command: string): CodePack | undefined;
}

/** Runs the program that `files` are; `require` answers Node's own modules. */
export function start(process: StartProcess, files: ProgramFiles, require: NodeJS.Require): void {
  const own = ownFolder(process);
  const command = commandOf(process.argv);
  const cache = new CodeCache(
    own && `${own}/${packName(process, command)}`,
    files.shipped?.(command),
  );
  const loader = new Loader({
    folder: files.folder,
    require,
    readText: (name) => files.readText(name),
    readBytes: (name) => files.readBytes(name),
    compiled: (name) => cache.compiled(name),
  });
  process.on("exit", (code) => {
    const endedWell = code === 0;
    if (loader.fresh.size > 0 || (endedWell && cache.isLearning)) {
      cache.keep(() => loader.compiledCode(), loader.fresh, endedWell, process.pid);
    }
  });
  loader.load("main.js");
}

/** The command that is asked for; `pets` where it is none, as for the help. */
function commandOf(argv: readonly string[]): string {
  const known = PETS_COMMANDS.split(" ");
  return argv.slice(2).find((word) => known.includes(word)) ?? "pets";
}

/** A pack for each command and variant of it, Node and build: so a start reads just what it needs. */
function packName(
  { argv, execArgv, env, version, arch, platform }: StartProcess,
  command: string,
): string {
  // With other flags V8 compiles other code.
  const flags = execArgv.length > 0 || env.NODE_OPTIONS ? "-flags" : "";
  const variant = variantOf([...argv.slice(2), `${env.PETS_OUTPUT}`]);
  return `${PETS_BUILD}-${version}-${platform}-${arch}${flags}-${command}${variant}`;
}

/** What makes a command run much other code: the format that is asked for, and many animals. */
function variantOf(words: readonly string[]): string {
  return [...outputFormats, "from"]
    .filter((name) =>
      words.some(
        (word) =>
          word === name ||
          word === `--${name}` ||
          word.endsWith(`o${name}`) ||
          word.endsWith(`=${name}`),
      ),
    )
    .map((name) => `-${name}`)
    .join("");
}

/**
 * The folder for compiled code. Node's own choice below the shared temporary folder has a name that
 * others can make first, and what they lay there would run as this user: ours is only used when
 * nobody else can write to it. The same where NODE_COMPILE_CACHE, which Node makes, names a shared one.
 */
function ownFolder({ env, platform, getuid }: StartProcess): string | undefined {
  if (env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  const { NODE_COMPILE_CACHE, TMPDIR, TMP, TEMP } = env;
  const below =
    NODE_COMPILE_CACHE || TMPDIR || TMP || TEMP || (platform === "win32" ? undefined : "/tmp");
  if (below === undefined) return undefined;
  const user = getuid?.();
  const folder = `${below.replace(/\/+$/, "")}/pets-cache-${user ?? "user"}`;
  return ensureOwnFolder(folder, user) ? folder : undefined;
}
