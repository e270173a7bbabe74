import { spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { script, temporaryFolder } from "../support/program/program.ts";

const root = path.dirname(path.dirname(script));

/** Runs a `bin/pets.js` on a Node that says it is of this version. */
function runOn(version: string, program: string) {
  const node = JSON.stringify({ value: version });
  const code = `Object.defineProperty(process.versions, "node", ${node}); require(${JSON.stringify(program)})`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["-e", code], {
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

it.each(["20.20.2", "22.18.0"])("says on Node %s which version it needs", (version) => {
  expect(runOn(version, script)).toEqual({
    status: 1,
    stdout: "",
    stderr:
      `pets: this is Node.js ${version}; pets needs 22.19 or newer\n` +
      `Install a newer Node.js (https://nodejs.org), or run \`npm run build:binary\` in ${root}: it makes dist/standalone/pets, which contains Node.js.\n`,
  });
});

it("advises no build where there is no source", () => {
  const program = path.join(temporaryFolder(), "bin", "pets.js");
  cpSync(script, program);
  const { stderr } = runOn("20.20.2", program);
  expect(stderr).toMatch(/\nInstall a newer Node\.js \(https:\/\/nodejs\.org\)\.\n$/);
});
