import { spawn } from "node:child_process";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { cleanEnv, finished, script } from "../support/program/program.ts";

/** What makes a file or directory of each kind. */
const commands = `
pets() { "$node" "$script" "$@"; }
pets serve --profile ci --memory --port 0 --detach --write-env given.env --json
pets login --profile two --base-url http://127.0.0.1:1/v1 --no-verify -q <key
pets add --profile ci --name Rex --category 1 -q
pets add --profile ci --from rows.csv --results results.csv -q
pets list --profile ci --json
pets store stop --profile ci -q
pets serve --data store.db --port 0 -- pets add --name Rex --category 1 -q`;

// It takes all from everybody, or nothing from anybody: what is between takes less, or more, than one of them.
it.each(["0777", "0000"])(
  "all that commands make under umask %s is private, and its owner can use it",
  async (umask) => {
    const home = cleanEnv().HOME ?? "";
    const env = { ...cleanEnv(home), XDG_CACHE_HOME: path.join(home, ".cache") };
    const inputs = { key: "key-0123456789abcdef\n", "rows.csv": "name,categoryId\nBello,1\n" };
    for (const [name, text] of Object.entries(inputs))
      writeFileSync(path.join(home, name), text, { mode: 0o600 });
    const lines = `umask ${umask}\nnode=$1 script=$2\n${commands}`;
    const words = ["-ec", lines, "sh", process.execPath, script];
    const run = await finished(spawn("sh", words, { env, cwd: home }));
    const [, pid] = /"pid":(\d+)/.exec(run.stdout) ?? [];
    if (run.code !== 0 && pid !== undefined) process.kill(Number(pid), "SIGKILL");
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('"name":"Bello"') });
    // Node's own directories are below one that is private.
    const all = readdirSync(home, { recursive: true, encoding: "utf8" });
    const made = all.filter((name) => !name.startsWith(".cache/pets/"));
    const modes = made.map((name) => {
      const stats = statSync(path.join(home, name));
      return [name, (stats.mode & 0o777).toString(8), stats.isDirectory() ? "700" : "600"];
    });
    expect(modes.filter(([, mode, wanted]) => mode !== wanted)).toEqual([]);
    expect(made).toEqual(expect.arrayContaining(["given.env", "results.csv", "store.db"]));
    expect(made).toContain(".cache/pets");
  },
);
