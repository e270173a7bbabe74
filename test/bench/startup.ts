import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { interleave, type Measured, median } from "./cpu.ts";
import { petsCommand as pets } from "./pets-command.ts";

const rounds = Number(process.argv[2] ?? 21);
const here = import.meta.dirname;
const node = process.execPath;

const server = spawn(node, [path.join(here, "server.cjs")], {
  stdio: ["ignore", "pipe", "inherit"],
});
const [port] = await once(server.stdout, "data");
const baseUrl = `http://127.0.0.1:${String(port).trim()}/v1`;

const home = mkdtempSync(path.join(tmpdir(), "pets-bench-"));
const bare = { PATH: process.env.PATH ?? "", HOME: home };
const env = { ...bare, PETS_BASE_URL: baseUrl, PETS_API_KEY: "key-of-the-bench" };

try {
  const login = [...pets.slice(1), "login", "--base-url", baseUrl];
  spawnSync(node, login, { env: bare, input: "key-of-the-bench" });
  const commands: Measured[] = [
    { name: "node -e 0", command: [node, "-e", "0"], env },
    { name: "node:http request", command: [node, path.join(here, "floor.cjs")], env },
    { name: "pets --version", command: [...pets, "--version"], env },
    { name: "pets --help", command: [...pets, "--help"], env },
    { name: "pets list --json (environment)", command: [...pets, "list", "--json"], env },
    { name: "pets list --json (profile)", command: [...pets, "list", "--json"], env: bare },
    { name: "pets list (environment)", command: [...pets, "list"], env },
  ];
  const samples = interleave(commands, rounds);
  const medianOf = (name: string): number => median(samples.get(name) ?? []);
  console.log(`CPU time, median of ${rounds} interleaved runs, Node ${process.versions.node}\n`);
  console.log(
    `${"".padEnd(32)}${"ms".padStart(8)}${"of bare".padStart(10)}${"of request".padStart(12)}`,
  );
  for (const { name } of commands) {
    const ms = medianOf(name);
    const ofBare = (ms / medianOf("node -e 0")).toFixed(2);
    const ofRequest = (ms / medianOf("node:http request")).toFixed(2);
    console.log(
      name.padEnd(32) + ms.toFixed(1).padStart(8) + ofBare.padStart(10) + ofRequest.padStart(12),
    );
  }
} finally {
  server.kill();
  rmSync(home, { recursive: true, force: true });
}
