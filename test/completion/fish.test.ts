import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasProgram } from "../support/program/has-program.ts";
import { type Home, makeHome } from "./support/shells.ts";

const run = promisify(execFile);

describe.runIf(hasProgram("fish"))("fish", () => {
  let home: Home;
  beforeAll(async () => void (home = await makeHome()));
  afterAll(() => home.remove());

  /** Returns what one fish offers for each of `lines`; it runs `after` once the completion is loaded. */
  async function offersFor(lines: readonly string[], after = ""): Promise<string[][]> {
    const each = 'for line in $argv; complete -C "$line"; echo .; end';
    const code = `pets completion fish | source\n${after}\n${each}`;
    const args = ["--no-config", "-c", code, ...lines];
    const { stdout, stderr } = await run("fish", args, { env: home.env, cwd: home.folder });
    expect(stderr).toBe("");
    const parts = stdout.split(/^\.\n/m).slice(0, -1);
    return parts.map((part) => part.split("\n").filter((text) => text !== ""));
  }

  it("offers what fits", async () => {
    const wanted = {
      "pets comp": ["completion"],
      "pets list --status=av": ["--status=available"],
      "pets list --fields na": ["name"],
      "pets list --fields id,na": ["id,name"],
      "pets list --fields=id,na": ["--fields=id,name"],
      "pets add --from sh": ["shelter one.csv"],
      "pets add --from=sh": ["--from=shelter one.csv"],
      "pets add --name sh": [],
      "pets serve --seed z": ["zoo.ndjson"],
      "A=1 pets limi": ["limits"],
      "pets list | pets limi": ["limits"],
      "pets serve --memory -- cat z": ["zoo.ndjson"],
      "pets serve mkfif": [],
    };
    const lines = Object.keys(wanted);
    const offers = await offersFor(lines);
    const words = offers.map((each) => each.map((offer) => offer.split("\t")[0]));
    expect(Object.fromEntries(lines.map((line, at) => [line, words[at]]))).toEqual(wanted);
  });

  it("replaces what fish generates from the man page, at the path that help names", async () => {
    const { env, folder } = home;
    const generated = "complete -c pets -l from-the-man-page\ncomplete -c pets -a man-word\n";
    const places = { XDG_DATA_HOME: `${folder}/d`, XDG_CACHE_HOME: `${folder}/c` };
    for (const place of Object.values(places)) {
      const completions = path.join(place, "fish/generated_completions");
      mkdirSync(completions, { recursive: true });
      writeFileSync(path.join(completions, "pets.fish"), generated);
    }
    const { stdout: help } = await run("pets", ["completion", "--help"], { env });
    const [install = ""] = /^ *mkdir -p ~\/\.config[^]*?pets\.fish$/m.exec(help) ?? [];
    const user = { env: { ...env, ...places, XDG_CONFIG_HOME: "" }, cwd: folder };
    await run("fish", ["-c", install], user);
    const asked = 'complete -C "pets --"; complete -C "pets "';
    const { stdout } = await run("fish", ["-c", asked], user);
    expect(stdout).toMatch(/^--json\b/m);
    expect(stdout).toMatch(/^list\b/m);
    expect(stdout).not.toContain("man-");
  });

  it("describes each candidate", async () => {
    const described = ["limits\tshow the last known rate limits and any wait"];
    expect(await offersFor(["pets lim"])).toEqual([described]);
  });

  it.each([
    ["no pets on its path", "set -gx PATH /usr/bin /bin"],
    ["a damaged profile file", 'set -gx XDG_CONFIG_HOME "$PWD/config"'],
  ])("with %s offers no profile, and prints nothing", async (_name, setting) => {
    mkdirSync(path.join(home.folder, "config/pets"), { recursive: true });
    writeFileSync(path.join(home.folder, "config/pets/config.json"), "nonsense");
    expect(await offersFor(["pets --profile "], setting)).toEqual([[]]);
  });
});
