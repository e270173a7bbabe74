import path from "node:path";
import { describe, expect, it } from "vitest";
import { cleanEnv, runPets } from "../support/program/program.ts";
import { serve, serveForPeople } from "../support/servers/serve.ts";
import { tlsFiles } from "../support/servers/tls.ts";

const tlsWords = ({ cert, key }: { readonly cert: string; readonly key: string }) => [
  "--tls-cert",
  cert,
  "--tls-key",
  key,
];

describe("pets serve over TLS", () => {
  it("is reached by pets if the certificate is trusted", async () => {
    const env = cleanEnv();
    const files = tlsFiles();
    const { ready } = await serve(["--memory", "--seed", "3", ...tlsWords(files)], env);
    expect(ready.baseUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/v1$/);
    const trusting = { ...env, NODE_EXTRA_CA_CERTS: files.cert };
    const list = await runPets(["list", "--json"], { env: trusting });
    expect(JSON.parse(list.stdout)).toHaveLength(3);
    const refused = await runPets(["list", "--json"], { env });
    expect(refused.code).toBe(6);
    expect(refused.stderr).toContain("self-signed");
    const state = await runPets(["store", "state"], { env });
    expect(state.code).toBe(6);
    expect(state.stderr).toMatch(
      /^pets: the certificate of \S+ is not accepted: self-signed certificate\n.*NODE_EXTRA_CA_CERTS.*\n$/,
    );
  });

  it("tells people how to trust the certificate", async () => {
    const files = tlsFiles();
    const { text } = await serveForPeople(["--memory", ...tlsWords(files)]);
    expect(text).toContain(`Try   NODE_EXTRA_CA_CERTS='${files.cert}' pets list --profile local-`);
  });

  it("runs a command that trusts it, in any folder", async () => {
    const files = tlsFiles();
    const cwd = path.dirname(files.cert);
    const words = ["--seed", "2", "--tls-cert", "cert.pem", "--tls-key", "key.pem"];
    const command = ["--", "sh", "-c", "cd / && pets list -o ndjson"];
    const { code, stdout } = await runPets(["serve", ...words, ...command], { cwd });
    expect([code, stdout.split("\n").length]).toEqual([0, 3]);
  });
});
