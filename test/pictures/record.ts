import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { petsCommand } from "../bench/pets-command.ts";
import { startOnPty } from "../support/program/pty.ts";
import type { Size } from "./screen.ts";

/** The commands to record, which are typed into a shell one after the other. */
export interface Scene extends Size {
  readonly commands: readonly string[];
  /** The arguments of `pets serve`. */
  readonly store: readonly string[];
  /** Files in the folder in which the commands run. */
  readonly files?: Readonly<Record<string, string>>;
  /** How many requests the key has sent before. */
  readonly requests?: number;
}

/** What was written to a terminal, and when: ms after the last command was typed, negative before it. */
export interface Chunk {
  readonly at: number;
  readonly text: string;
}

const prompt = "$ ";

/** Runs the commands of `scene` in a real shell on a real terminal, with a new store. */
export async function record(scene: Scene): Promise<readonly Chunk[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "pets-picture-"));
  try {
    return await recordIn(folder, scene);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function recordIn(folder: string, scene: Scene): Promise<readonly Chunk[]> {
  const place = (name: string): string => path.join(folder, name);
  for (const name of ["home", "work", "bin"]) mkdirSync(place(name));
  symlinkSync(petsCommand[1], place("bin/pets"));
  symlinkSync(petsCommand[0], place("bin/node"));
  for (const [name, text] of Object.entries(scene.files ?? {}))
    writeFileSync(place(`work/${name}`), text);
  const env = { PATH: `${place("bin")}:${process.env.PATH}`, HOME: place("home"), TZ: "UTC" };
  const store = await startStore(scene, env);
  try {
    return await recordShell(scene, { ...env, ...store.env }, place("work"));
  } finally {
    await store.stop();
  }
}

async function recordShell(
  { commands, columns, rows }: Scene,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<readonly Chunk[]> {
  const chunks: Chunk[] = [];
  let start = 0;
  const shell = await startOnPty(["sh", "-i"], {
    columns,
    rows,
    cwd,
    env: { ...env, PS1: prompt, PS2: "> " },
    watch: (text) => void chunks.push({ at: performance.now(), text }),
  });
  for (const [i, command] of commands.entries()) {
    await shell.waitFor(prompts(i + 1));
    start = performance.now();
    shell.type(`${command}\r`);
  }
  await shell.waitFor(prompts(commands.length + 1));
  const recorded = chunks.map(({ at, text }) => ({ at: at - start, text }));
  shell.kill("SIGKILL");
  await shell.ended;
  return recorded;
}

/** Matches this many prompts, the last one at the end of the output. */
const prompts = (count: number): RegExp => new RegExp(`^(?:\\$ [^]*?\\n){${count - 1}}\\$ $`);

async function startStore({ store, requests = 0 }: Scene, env: Readonly<Record<string, string>>) {
  const [node, script] = petsCommand;
  const words = ["serve", "--json", "--memory", "--port", "0", ...store];
  const child = spawn(node, [script, ...words], { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const line = await Promise.race([once(createInterface(child.stdout), "line"), ended]);
  if (child.exitCode !== null) throw new Error("pets serve did not start");
  const { baseUrl, apiKey } = JSON.parse(String(line));
  const headers = { authorization: `Bearer ${apiKey}` };
  const ask = async () => (await fetch(`${baseUrl}/pets?limit=1`, { headers })).arrayBuffer();
  await Promise.all(Array.from({ length: requests }, ask));
  return {
    env: { PETS_BASE_URL: String(baseUrl), PETS_API_KEY: String(apiKey) },
    async stop() {
      child.kill();
      await ended;
    },
  };
}
