import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, it } from "vitest";
import { script } from "../support/program/program.ts";

const root = path.dirname(path.dirname(script));

it.each(["20.20.2", "22.18.0"])("says on Node %s which version it needs", (version) => {
  const node = JSON.stringify({ value: version });
  const code = `Object.defineProperty(process.versions, "node", ${node}); require(${JSON.stringify(script)})`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["-e", code], {
    encoding: "utf8",
  });
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: "",
    stderr:
      `pets: this is Node.js ${version}; pets needs 22.19 or newer\n` +
      `without a newer one, run \`npm run build:binary\` in ${root}: it makes dist/standalone/pets, which contains Node\n`,
  });
});
