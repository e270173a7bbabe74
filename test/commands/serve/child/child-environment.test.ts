import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Context } from "../../../../src/commands/context.ts";
import {
  clientEnvironment,
  withShim,
  writePathShim,
} from "../../../../src/commands/serve/child/child-environment.ts";
import type { Service } from "../../../../src/commands/serve/start-service.ts";

const service = {
  baseUrl: "http://127.0.0.1:1/v1",
  keys: [{ apiKey: "first", plan: "free" }],
} as unknown as Service;

function environment(env: Record<string, string>, platform = "linux", more: object = {}) {
  const context = { env, program: { platform } } as unknown as Context;
  return withShim(context, clientEnvironment(context, { ...service, ...more }), "/shim");
}

describe("the environment of a command", () => {
  it("points to the store, with `pets` on PATH and without a profile", () => {
    expect(environment({ PATH: "/bin", HOME: "/h", PETS_PROFILE: "x", PETS_API_KEY: "y" })).toEqual(
      {
        HOME: "/h",
        PATH: "/shim:/bin",
        PETS_BASE_URL: "http://127.0.0.1:1/v1",
        PETS_API_KEY: "first",
      },
    );
  });

  it.each([
    ["no PATH", {}, "linux", "PATH", "/shim:/usr/local/bin:/usr/bin:/bin"],
    ["an empty PATH", { PATH: "" }, "linux", "PATH", "/shim:/usr/local/bin:/usr/bin:/bin"],
    ["Windows' spelling", { Path: "C:\\bin" }, "win32", "Path", "/shim;C:\\bin"],
  ])("with %s", (_what, env, platform, name, expected) => {
    expect(environment(env, platform)[name]).toBe(expected);
  });

  it("trusts a self-signed certificate, unless the user chose otherwise", () => {
    const more = { certificateToTrust: "cert.pem" };
    expect(environment({}, "linux", more).NODE_EXTRA_CA_CERTS).toBe(path.resolve("cert.pem"));
    const own = { NODE_EXTRA_CA_CERTS: "/own.pem" };
    expect(environment(own, "linux", more).NODE_EXTRA_CA_CERTS).toBe("/own.pem");
  });
});

describe("writePathShim", () => {
  const program = {
    version: "1",
    node: "/bin/echo",
    script: "it's a script",
    nodeVersion: "24.0.0",
    platform: "linux",
  } as const;

  it("makes a private `pets` that passes its arguments on, and removes it", () => {
    const shim = writePathShim(program);
    onTestFinished(() => shim.remove());
    const file = path.join(shim.folder, "pets");
    expect(statSync(shim.folder).mode & 0o777).toBe(0o700);
    expect(statSync(file).mode & 0o777).toBe(0o700);
    const { stdout } = spawnSync(file, ["list", "a b"], { encoding: "utf8" });
    expect(stdout).toBe("it's a script list a b\n");
    shim.remove();
    expect(existsSync(shim.folder)).toBe(false);
  });

  it("names the folder for temporary files if it can't be used", () => {
    vi.stubEnv("TMPDIR", "/no/such/folder");
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(() => writePathShim(program)).toThrow(
      "cannot create a temporary directory in /no/such/folder: no such file or directory",
    );
  });

  it("names no script for the standalone program", () => {
    const shim = writePathShim({ ...program, script: undefined });
    onTestFinished(() => shim.remove());
    const { stdout } = spawnSync(path.join(shim.folder, "pets"), ["x"], { encoding: "utf8" });
    expect(stdout).toBe("x\n");
  });
});
