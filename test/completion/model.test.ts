import { describe, expect, it } from "vitest";
import { pets } from "../../src/cli/pets.ts";
import {
  type CommandModel,
  commonEntries,
  type CompletableProgram,
  completionModel,
  wordKinds,
} from "../../src/completion/model.ts";
import { files, fieldNames, free, kindName, oneOf } from "../../src/completion/values.ts";
import { topicNames } from "../../src/help/topics/names.ts";
import { commandsByPath } from "../support/command/commands.ts";

const colors = oneOf(["red", "blue"]);

/** A program with one of everything that a model contains. */
const program: CompletableProgram = {
  name: "pets",
  summary: "",
  globalOptions: [
    { flags: "-f, --fields <names>", description: "these fields", values: { kind: "fields" } },
    { flags: "-q, --quiet", description: "no notes" },
  ],
  subcommands: [
    {
      name: "paint",
      summary: "paint things",
      columns: [{ field: "id" }],
      arguments: [{ values: files }],
      options: [
        { flags: "--color <color>", description: "a color", values: colors, repeats: true },
        { flags: "--other <text>", description: "any text" },
      ],
    },
    {
      name: "keys",
      summary: "keys of things",
      subcommands: [
        { name: "list", summary: "list them", isDefault: true, options: [pathOption()] },
        { name: "add", summary: "add one", arguments: [{}] },
      ],
    },
    {
      name: "explain",
      summary: "explain things",
      arguments: [{ values: { kind: "commands", others: [{ name: "topic", description: "t" }] } }],
    },
  ],
};

function pathOption() {
  return { flags: "--path <path>", description: "a path", values: files };
}

const find = (models: readonly CommandModel[], path: string): CommandModel => {
  const found = models.find((model) => model.path === path);
  if (found === undefined) throw new Error(`there is no model of ${path}`);
  return found;
};

describe("completionModel", () => {
  const models = completionModel(program);
  const optionsOf = (path: string) => find(models, path).options.map(({ long }) => long);

  it("lists every command before its subcommands, in order", () => {
    expect(models.map(({ path }) => path)).toEqual([
      "pets",
      "pets paint",
      "pets keys",
      "pets keys list",
      "pets keys add",
      "pets explain",
      "pets explain paint",
      "pets explain keys",
      "pets explain keys list",
      "pets explain keys add",
      "pets explain explain",
      "pets explain topic",
    ]);
  });

  it("has both forms of an option, and the kind of its value", () => {
    expect(find(models, "pets paint").options).toEqual([
      { long: "--color", short: undefined, description: "a color", value: colors, repeats: true },
      { long: "--other", short: undefined, description: "any text", value: free, repeats: false },
      {
        long: "--fields",
        short: "-f",
        description: "these fields",
        value: fieldNames([{ field: "id" }]),
        repeats: false,
      },
      { long: "--quiet", short: "-q", description: "no notes", value: undefined, repeats: false },
    ]);
  });

  it("allows any fields for a command that declares none", () => {
    expect(find(models, "pets keys list").options.at(-2)).toMatchObject({ value: free });
  });

  it("gives a command the options of its default subcommand", () => {
    expect(optionsOf("pets keys")).toEqual(["--path", "--fields", "--quiet"]);
    expect(optionsOf("pets keys add")).toEqual(["--fields", "--quiet"]);
  });

  it("has the kind of an argument", () => {
    expect(find(models, "pets paint").argument).toEqual(files);
    expect(find(models, "pets keys add").argument).toEqual(free);
    expect(find(models, "pets").argument).toBeUndefined();
  });

  it.each([
    ["pets explain", ["paint", "keys", "explain", "topic"]],
    ["pets explain keys", ["list", "add"]],
    ["pets explain topic", []],
  ])("treats command names and other words as subcommands: %s has %j", (path, names) => {
    expect(find(models, path).subcommands.map(({ name }) => name)).toEqual(names);
  });

  it("rejects a command with two arguments", () => {
    const two = { name: "two", summary: "", arguments: [{}, {}] };
    expect(() => completionModel({ ...program, subcommands: [two] })).toThrow(
      new RangeError("pets two has several arguments"),
    );
  });
});

describe("wordKinds", () => {
  it("returns each kind with words once, by its name", () => {
    expect(wordKinds(completionModel(program)).map(kindName)).toEqual([
      "words_red_blue",
      "list_id",
    ]);
  });
});

describe("commonEntries", () => {
  it("returns the entries that are the same for all commands", () => {
    const models = completionModel(program);
    expect(commonEntries(models, ({ long }) => [long])).toEqual(["--fields", "--quiet"]);
    // The fields differ by command.
    expect(commonEntries(models, (option) => [JSON.stringify(option)])).toHaveLength(1);
  });
});

describe("the model of pets", () => {
  const models = completionModel(pets);

  it("has every command and subcommand, and every topic of help", () => {
    const paths = [...commandsByPath().keys()].map((path) => `pets ${path}`.trim());
    expect(models.map(({ path }) => path)).toEqual(expect.arrayContaining(paths));
    for (const name of topicNames) expect(find(models, `pets help ${name}`)).toBeDefined();
  });

  it("has each command once, even if a topic has the same name", () => {
    const paths = models.map(({ path }) => path);
    expect(paths).toEqual([...new Set(paths)]);
    for (const { subcommands } of models) {
      const names = subcommands.map(({ name }) => name);
      expect(names).toEqual([...new Set(names)]);
    }
  });

  it("has names that are plain words, for use in scripts", () => {
    const names = [
      models.flatMap(({ path }) => path.split(" ")),
      models.flatMap(({ subcommands }) => subcommands.map(({ name }) => name)),
      models.flatMap(({ options }) => options.flatMap(({ long, short = "-x" }) => [long, short])),
      wordKinds(models).flatMap((kind) => kind.words.concat(kindName(kind))),
    ].flat();
    expect(names.filter((name) => !/^[\w-]+$/.test(name))).toEqual([]);
  });

  it("gives different words different names", () => {
    const kinds = models.flatMap(({ options, argument }) => [
      argument,
      ...options.map(({ value }) => value),
    ]);
    const named = kinds.filter((kind) => kind !== undefined && "words" in kind);
    const distinct = new Set(named.map((kind) => JSON.stringify(kind)));
    expect(distinct.size).toBe(wordKinds(models).length);
  });
});
