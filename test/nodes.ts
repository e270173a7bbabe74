import { spawnSync } from "node:child_process";

// The oldest and the newest Node that pets supports. The packages that hold Node itself need no
// install script, unlike `node`, which fetches one of them.
const versions = ["22.19.0", "26.10.0"];

const { platform, arch } = process;
const prefix = platform === "darwin" && arch === "arm64" ? "node-bin" : "node";
const system = platform === "win32" ? "win" : platform;

for (const version of versions) {
  const name = `--package=${prefix}-${system}-${arch}@${version}`;
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--config", "test/vitest.config.ts"];
  const tests = ["test/e2e", ...process.argv.slice(2)];
  process.stdout.write(`\nNode ${version}\n`);
  const { status } = spawnSync("npm", ["exec", "--yes", name, "--", "node", ...vitest, ...tests], {
    stdio: "inherit",
    shell: platform === "win32",
  });
  if (status !== 0) process.exit(status ?? 1);
}
