import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { createContext } from "../../src/cli/create-context.ts";
import type { PetsApi } from "../../src/client/pets-client.ts";
import { requestOf } from "../../src/commands/action.ts";
import type { Context } from "../../src/commands/context.ts";
import type { ClientOverrides } from "../../src/commands/service.ts";
import type { ServiceConnection } from "../../src/config/connection.ts";
import type { ProfileData } from "../../src/config/profiles/profiles.ts";
import type { TypedOptions } from "../../src/config/settings.ts";
import { selectColumns } from "../../src/output/columns.ts";
import type { Environment, Input } from "../../src/platform/io.ts";
import { testStore } from "../config/support/profile-store.ts";
import { makeRuntime } from "../support/command/runtime.ts";
import { recordOutput } from "../support/command/terminal.ts";
import { programWith } from "../support/command/typed.ts";

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
  const contextOf = (typed: TypedOptions): Context => {
    const made = createContext({ ...runtime, stdin, stdout }, typed);
    return { ...made, runKeyCommand, service: Object.assign(made.service, { api }) };
  };
  const context = contextOf(globals);
  const store = testStore({ folder: context.folders.config });
  const prepared = options.profiles && store.update(() => options.profiles ?? { profiles: {} });
  const run = async (create: () => CommandUnknownOpts, ...args: string[]): Promise<void> => {
    await prepared;
    const root = programWith(create);
    root.parse([root.commands[0]?.name() ?? "", ...args], { from: "user" });
    const request = requestOf(root);
    if (request === undefined) throw new Error("nothing runs");
    const { command } = request;
    const own = Object.entries(command.opts()).filter(
      ([name]) => command.getOptionValueSource(name) === "cli",
    );
    const running = contextOf({ ...globals, ...Object.fromEntries(own) });
    selectColumns(command.configureHelp().columns ?? [], running.settings.fields);
    await request.run(running);
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
