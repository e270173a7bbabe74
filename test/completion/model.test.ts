import { describe, expect, it } from "vitest";
import { completionModel, type CommandModel, wordSources } from "../../src/completion/model.ts";
import { argumentSources, fieldSources, optionSources } from "../../src/completion/values.ts";
import { topicNames } from "../../src/help/index.ts";
import { buildProgramForDocs } from "../../src/cli/program.ts";
import { commandsByPath } from "../support/commands.ts";

const topics = topicNames.map((name) => ({ name, description: "" }));
const root = buildProgramForDocs("1.2.3");
const models = completionModel(root, topics);
const at = (path: string): CommandModel | undefined => models.find((model) => model.path === path);

const option = (path: string, name: string) => at(path)?.options.find(({ long }) => long === name);

describe("completionModel", () => {
  it("has every command and subcommand, and what help explains", () => {
    const paths = [...commandsByPath().keys()].map((path) => `pets ${path}`.trim());
    expect(models.map(({ path }) => path)).toEqual(expect.arrayContaining(paths));
    expect(at("pets help profile use")).toMatchObject({ subcommands: [] });
    for (const name of topicNames) expect(at(`pets help ${name}`)).toBeDefined();
  });

  it("has names that are plain words, so that scripts can be made of them", () => {
    const names = [
      models.flatMap(({ path }) => path.split(" ")),
      models.flatMap(({ subcommands }) => subcommands.map(({ name }) => name)),
      models.flatMap(({ options }) => options.flatMap(({ long, short = "-x" }) => [long, short])),
      wordSources(models).flatMap(({ name, words }) => words.concat(name)),
    ].flat();
    expect(names.filter((name) => !/^[\w-]+$/.test(name))).toEqual([]);
  });

  it("knows of each option with a value what it takes, and of none that is not there", () => {
    const options = models.flatMap((model) => model.options);
    const valued = options.filter(({ value }) => value !== undefined).map(({ long }) => long);
    const known = [...Object.keys(optionSources), "--fields"];
    expect([...new Set(valued)].sort()).toEqual(known.sort());
    const commands = [...commandsByPath().keys()];
    expect(Object.keys(fieldSources).sort()).toEqual(commands.sort());
    const used = Object.values(argumentSources).filter((source) =>
      models.some(({ argument }) => argument === source),
    );
    expect(new Set(used)).toEqual(new Set(Object.values(argumentSources)));
  });

  it("knows what a default subcommand takes, and what may be given again", () => {
    expect(option("pets keys", "--data")).toBeDefined();
    expect(option("pets profile", "--data")).toBeUndefined();
    expect(option("pets serve", "--plan")?.repeats).toBe(true);
    expect(option("pets keys add", "--plan")?.repeats).toBe(false);
  });

  it("refuses an option and an argument that its tables don't know", () => {
    const other = buildProgramForDocs("1.2.3");
    other.command("other").option("--other <value>");
    expect(() => completionModel(other, topics)).toThrow("no source of --other of other");
    const another = buildProgramForDocs("1.2.3");
    another.command("another").argument("<thing>");
    expect(() => completionModel(another, topics)).toThrow("no source of the argument thing");
  });
});
