import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { TypedOptions } from "../../src/cli/program.ts";
import type { PetsApi } from "../../src/client/types.ts";
import { requestOf } from "../../src/commands/action.ts";
import type { Context } from "../../src/commands/context.ts";
import { createProgram } from "../../src/commands/index.ts";
import { print } from "../../src/commands/print.ts";
import type { ServiceConnection } from "../../src/config/connection.ts";
import type { ProfileData } from "../../src/config/profiles/profiles.ts";
import { resolveSettings } from "../../src/config/settings.ts";
import type { Pet } from "../../src/core/pet.ts";
import { selectColumns } from "../../src/output/columns.ts";
import type { Environment, Input } from "../../src/platform/io.ts";
import { testStore } from "../config/support/profile-store.ts";
import { settingsOf } from "../config/support/settings.ts";
import { makeRuntime } from "../support/command/runtime.ts";
import { recordOutput } from "../support/command/terminal.ts";
import { programWith } from "../support/command/typed.ts";

/** What a command is given in a test. */
export interface ProfileTestOptions {
  readonly globals?: TypedOptions;
  readonly env?: Environment;
  readonly profiles?: ProfileData;
  /** The content of a standard input that is not a terminal. */
  readonly input?: string | Uint8Array;
  /** The answers typed at a terminal; then standard input and standard error are terminals. */
  readonly answers?: readonly string[];
  /** Whether standard error is a terminal, if different from standard input. */
  readonly stderrIsTTY?: boolean;
  /** What a key command prints. */
  readonly printed?: string;
  /** What the service does when animals are listed. */
  readonly list?: () => Promise<readonly Pet[]>;
}

/** A run of a command on real profile files, with everything else faked. */
export function profileTest(options: ProfileTestOptions = {}) {
  const store = testStore();
  const env = options.env ?? {};
  const stderrIsTTY = options.stderrIsTTY ?? options.answers !== undefined;
  const { runtime, stderr } = makeRuntime({ env, stderrIsTTY });
  const stdout = recordOutput();
  const asked: string[] = [];
  const sent: ServiceConnection[] = [];
  const ran: string[] = [];
  const context: Context & { settings: Context["settings"] } = {
    ...runtime,
    stdin: inputOf(options, asked),
    stdout,
    commandLine: () => createProgram("1"),
    commandHere: (...words) => ["pets", ...words].join(" "),
    settings: settingsOf(options.globals, env),
    folders: { config: store.folder, data: store.folder, state: store.folder, cache: store.folder },
    note: async (text) => stderr.write(`${text}\n`),
    warn: async (text) => stderr.write(`${text}\n`),
    noteDeprecation: async () => {},
    profiles: async () => store,
    connectionTarget: () => Promise.reject(new Error("no connection was asked for")),
    runKeyCommand: async (command) => {
      ran.push(command);
      return options.printed ?? "";
    },
    settingsWithProfile: async () => context.settings,
    connection: () => Promise.reject(new Error("no connection was asked for")),
    localStore: () => Promise.reject(new Error("no local store was asked for")),
    limiterServer: async () => undefined,
    close: async () => {},
    limiter: () => Promise.reject(new Error("no limiter was asked for")),
    print: (records, columns) => print(context, records, columns),
    api: async (connection) => {
      if (connection === undefined) throw new Error("the connection is not the one that was typed");
      sent.push(connection);
      return apiOf(options.list ?? (async () => []));
    },
  };
  const prepared = options.profiles
    ? store.update(() => options.profiles ?? { profiles: {} })
    : null;
  const run = async (create: () => CommandUnknownOpts, ...args: string[]): Promise<void> => {
    await prepared;
    const root = programWith(create);
    for (const [name, value] of Object.entries(options.globals ?? {}))
      root.setOptionValueWithSource(name, value, "cli");
    root.parse([root.commands[0]?.name() ?? "", ...args], { from: "user" });
    const request = requestOf(root);
    if (request === undefined) throw new Error(`${args.join(" ")} runs nothing`);
    context.settings = resolveSettings(request.command, env);
    selectColumns(request.command.configureHelp().columns ?? [], context.settings.fields);
    await request.run(context);
  };
  return { context, run, store, stdout, stderr, asked, sent, ran };
}

function inputOf({ input, answers }: ProfileTestOptions, asked: string[]): Input {
  const left = [...(answers ?? [])];
  return {
    isTTY: answers !== undefined,
    async *[Symbol.asyncIterator]() {
      yield typeof input === "string"
        ? new TextEncoder().encode(input)
        : (input ?? new Uint8Array());
    },
    async ask(prompt, { hidden }) {
      const answer = left.shift();
      if (answer === undefined) throw new Error(`nothing answers ${prompt}`);
      asked.push(`${hidden ? "hidden" : "shown"} ${prompt}`);
      return answer;
    },
  };
}

const never = (): Promise<never> => Promise.reject(new Error("only a list may be asked for"));

function apiOf(list: () => Promise<readonly Pet[]>): PetsApi {
  return { list, add: never, get: never };
}
