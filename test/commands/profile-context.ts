import type { HelpConfiguration } from "@commander-js/extra-typings";
import { runProgram } from "../../src/cli/program.ts";
import type { PetsApi } from "../../src/client/pets-client.ts";
import { type Context, createContext } from "../../src/commands/context.ts";
import type { Runtime } from "../../src/commands/runtime.ts";
import type { ClientOverrides } from "../../src/commands/service.ts";
import type { ServiceConnection } from "../../src/config/connection.ts";
import type { ProfileData } from "../../src/config/profiles/profiles.ts";
import type { TypedOptions } from "../../src/config/settings.ts";
import type { Environment, Input } from "../../src/platform/io.ts";
import { testStore } from "../config/support/profile-store.ts";
import { makeRuntime } from "../support/command/runtime.ts";
import { recordOutput } from "../support/command/terminal.ts";
import { type CreateCommand, programWith } from "../support/command/typed.ts";

const profiles = {
  shop: { baseUrl: "https://shop.example/v1", apiKey: "pets-key-0123456789" },
  local: { baseUrl: "http://127.0.0.1:4010/v1", apiKey: "short" },
  bare: { baseUrl: "https://ann:hidden@bare.example/v1" },
};
const data: ProfileData = { current: "shop", profiles };

/** Profiles of which one has no key, one a password in its base URL, and the first is current. */
export const threeProfiles = { data, profiles };

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
  readonly list?: PetsApi["list"];
  /** What differs in what the process gives, and in the services of the context. */
  readonly runtime?: Partial<Runtime>;
  readonly service?: object;
}

const never = (): Promise<never> => Promise.reject(new Error("only a list may be asked for"));

/** A run of a command on real profile files, with a faked service and key command. */
export function profileTest(options: ProfileTestOptions = {}) {
  const { globals = {}, env = {}, printed = "", list = async () => [] } = options;
  const stderrIsTTY = options.stderrIsTTY ?? options.answers !== undefined;
  const { runtime, stderr } = makeRuntime({ env, stderrIsTTY });
  const stdout = recordOutput();
  const asked: string[] = [];
  const sent: ServiceConnection[] = [];
  const ran: string[] = [];
  const stdin = inputOf(options, asked);
  const runKeyCommand = async (command: string) => {
    ran.push(command);
    return printed;
  };
  const api = async ({ connection }: ClientOverrides = {}) => {
    if (connection === undefined) throw new Error("the connection is not the one that was typed");
    sent.push(connection);
    return { list, add: never, get: never };
  };
  const given = { ...runtime, stdin, stdout, ...options.runtime };
  const contextOf = (typed: TypedOptions, help?: HelpConfiguration): Context => {
    const made = createContext(given, typed, help);
    const service = Object.assign(made.service, { api }, options.service);
    return { ...made, runKeyCommand, service };
  };
  const context = contextOf(globals);
  const store = testStore({ folder: context.folders.config });
  const prepared = options.profiles && store.update(() => options.profiles ?? { profiles: {} });
  /** Runs a command, by its words after its name; returns its exit code. */
  const run = async (create: CreateCommand, ...args: string[]): Promise<number> => {
    await prepared;
    let running = context;
    const root = programWith(create, () => running);
    const argv = [root.commands[0]?.name() ?? "", ...args];
    await runProgram(root, { ...given, argv }, (command, typed) => {
      running = contextOf({ ...globals, ...typed }, command.configureHelp());
      return running.settings;
    });
    return running.exitCode;
  };
  return { context, run, store, stdout, stderr, asked, sent, ran };
}

function inputOf({ input = "", answers }: ProfileTestOptions, asked: string[]): Input {
  const left = [...(answers ?? [])];
  return {
    isTTY: answers !== undefined,
    async *[Symbol.asyncIterator]() {
      yield Buffer.from(input);
    },
    prompts: () => Promise.reject(new Error("no terminal")),
    async ask(prompt, { hidden }) {
      const answer = left.shift();
      if (answer === undefined) throw new Error(`nothing answers ${prompt}`);
      asked.push(`${hidden ? "hidden" : "shown"} ${prompt}`);
      return answer;
    },
  };
}
