import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { orIoFailure } from "../../../core/errors.ts";
import { singleQuote } from "../../../core/shell-quote.ts";
import type { Environment } from "../../../platform/io.ts";
import type { Context, Program } from "../../context.ts";
import type { Service } from "../start-service.ts";

/** The PATH if none is set (POSIX `_CS_PATH`, and what admins install). */
const systemPath = "/usr/local/bin:/usr/bin:/bin";

/** Creates a temporary folder (0700) whose `pets` is this program on this Node. Throws an io Failure. */
export function writePathShim(program: Program) {
  return orIoFailure(`cannot create a temporary directory in ${tmpdir()}`, () => {
    const folder = mkdtempSync(path.join(tmpdir(), "pets-"));
    const remove = (): void => rmSync(folder, { recursive: true, force: true });
    writePrograms(folder, program);
    return { folder, remove };
  });
}

function writePrograms(folder: string, { node, script, platform }: Program): void {
  const words = script === undefined ? [node] : [node, script];
  if (platform === "win32") {
    const quoted = words.map((word) => `"${word}"`).join(" ");
    writeFileSync(path.join(folder, "pets.cmd"), `@${quoted} %*\r\n`);
  }
  const text = `#!/bin/sh\nexec ${words.map(singleQuote).join(" ")} "$@"\n`;
  writeFileSync(path.join(folder, "pets"), text, { mode: 0o700 });
}

/** Returns `env` with the shim first on PATH. */
export function withShim({ program }: Context, env: Environment, folder: string): Environment {
  const isWindows = program.platform === "win32";
  const name = Object.keys(env).find((key) => isWindows && /^path$/i.test(key)) ?? "PATH";
  const others = env[name] || (isWindows ? "" : systemPath);
  return { ...env, [name]: `${folder}${isWindows ? ";" : ":"}${others}` };
}

/** What a client needs to know of a store. */
type ServedStore = Pick<Service, "baseUrl" | "keys" | "certificateToTrust">;

/**
 * Returns our environment with a store's URL and key, and without a profile or the limiter of a fleet. It trusts a
 * self-signed certificate, unless the user has set NODE_EXTRA_CA_CERTS.
 */
export function clientEnvironment(
  { env }: Context,
  { baseUrl, keys, certificateToTrust }: ServedStore,
): Environment {
  const {
    PETS_PROFILE: _profile,
    PETS_LIMITER: _limiter,
    PETS_LIMITER_PASSWORD: _password,
    PETS_LIMITER_REQUIRED: _required,
    ...inherited
  } = env;
  return {
    ...(certificateToTrust !== undefined && {
      NODE_EXTRA_CA_CERTS: path.resolve(certificateToTrust),
    }),
    ...inherited,
    PETS_BASE_URL: baseUrl,
    PETS_API_KEY: keys[0].apiKey,
  };
}
