import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { script } from "../support/program/program.ts";

it.each(["20.20.2", "22.18.0"])("says on Node %s which version it needs", (version) => {
  const node = JSON.stringify({ value: version });
  const code = `Object.defineProperty(process.versions, "node", ${node}); require(${JSON.stringify(script)})`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["-e", code], {
    encoding: "utf8",
  });
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: "",
    stderr: `pets needs Node.js 22.19 or newer; this is ${version} (or use the standalone binary)\n`,
  });
});
