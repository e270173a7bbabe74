import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { cleanEnv, script } from "../../support/program/program.ts";
import { type Pty, startOnPty } from "../../support/program/pty.ts";

/** A home with two profiles and a `pets` on its path, in a folder with a few files. */
export interface Home {
  readonly env: Record<string, string>;
  readonly folder: string;
  remove(): void;
}

/** Makes a Home, with the profiles `local-1` and `staging`. */
export async function makeHome(): Promise<Home> {
  const folder = mkdtempSync(path.join(tmpdir(), "pets-shell-"));
  const env: Record<string, string> = { ...cleanEnv(folder), TERM: "dumb", LANG: "C.UTF-8" };
  const bin = path.join(folder, "bin");
  mkdirSync(bin);
  const exec = `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`;
  writeFileSync(path.join(bin, "pets"), exec, { mode: 0o755 });
  const files = path.join(folder, "files");
  mkdirSync(files);
  for (const name of ["shelter one.csv", "zoo.ndjson"]) writeFileSync(path.join(files, name), "");
  const profile = { baseUrl: "http://127.0.0.1:1/", apiKey: "key-of-the-tests" };
  const config = path.join(env.HOME ?? folder, ".config/pets");
  mkdirSync(config, { recursive: true, mode: 0o700 });
  const text = JSON.stringify({ profiles: { staging: profile, "local-1": profile } });
  writeFileSync(path.join(config, "config.json"), text, { mode: 0o600 });
  return {
    // Fish creates a folder there, or otherwise in the shared folder for temporary files.
    env: { ...env, PATH: `${bin}:${env.PATH}`, XDG_RUNTIME_DIR: folder },
    folder: files,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** What Tab did to a command line. */
interface Tabbed {
  /** What was offered, in the order of the shell, without repeats. */
  readonly offers: readonly string[];
  /** The line afterwards. */
  readonly line: string;
}

/** An interactive shell in which Tab can be pressed. */
export interface TabShell {
  readonly pty: Pty;
  /** Types `line` and Tab on an empty line, and clears the line again. */
  tab(line: string): Promise<Tabbed>;
  end(): Promise<void>;
}

/**
 * Starts a `TabShell`: a shell on a terminal, whose start-up file must write what was offered to `$OUT.offers`
 * and, at Ctrl-G, the line to `$OUT.line`.
 */
export async function startTabShell(
  command: readonly [string, ...string[]],
  home: Home,
  env: Readonly<Record<string, string>>,
): Promise<TabShell> {
  const out = path.join(home.folder, "..", "out");
  const pty = await startOnPty(command, {
    columns: 200,
    cwd: home.folder,
    env: { ...home.env, ...env, OUT: out },
  });
  await pty.waitFor("READY>");
  return {
    pty,
    async end() {
      pty.kill("SIGKILL");
      await pty.ended;
      home.remove();
    },
    async tab(line) {
      for (const name of ["offers", "line"]) rmSync(`${out}.${name}`, { force: true });
      pty.type(`${line}\t\x07`);
      const written = await waitForFile(`${out}.line`, pty);
      pty.type("\x15");
      const offers = existsSync(`${out}.offers`) ? readFileSync(`${out}.offers`, "utf8") : "";
      return {
        offers: [...new Set(offers.split("\n").filter((name) => name !== ""))],
        line: written,
      };
    },
  };
}

async function waitForFile(file: string, pty: Pty): Promise<string> {
  for (const end = performance.now() + 60_000; performance.now() < end; await delay(5)) {
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    if (text.endsWith("\n")) return text.slice(0, -1);
  }
  throw new Error(`nothing was written: ${pty.output}`);
}
