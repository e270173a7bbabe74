import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { Agent, request } from "undici";
import { onTestFinished } from "vitest";
import { makeCertificate } from "../../client/support/certificate.ts";
import { runPets, script } from "../program/program.ts";
import { startProxy } from "../servers/proxy.ts";
import type { Ready } from "../servers/serve.ts";

type Env = Record<string, string>;

export type HelpWorld = Awaited<ReturnType<typeof makeHelpWorld>>;

/** The id of the key that examples revoke. */
export const revokedId = "1f2e3d4c5b6a7988";
/** The hosts in examples, which all resolve to one store. */
const hosts = ["store.example", "staging.example", "other.example"];
const apiKey = "pets_0123456789abcdefghijklmnopqrstuv";
const animals = Array.from({ length: 12 }, (_none, place) => ({
  name: `Pet ${place + 1}`,
  categoryId: 1,
  status: ["available", "pending", "sold"][place % 3],
}));
const ndjson = animals.map((animal) => `${JSON.stringify(animal)}\n`).join("");

/**
 * Makes an environment in which the examples of the help run: stores, a home with profiles, and files. `postgresPort` is
 * the port for `postgres://localhost`.
 */
export async function makeHelpWorld(postgresPort: number) {
  const root = mkdtempSync(path.join(tmpdir(), "pets-help-"));
  layFiles(root);
  const env = {
    PATH: `${root}/bin:${process.env.PATH ?? ""}`,
    TZ: "UTC",
    XDG_CACHE_HOME: path.join(tmpdir(), "cache"),
    NODE_EXTRA_CA_CERTS: `${root}/files/cert.pem`,
    NODE_OPTIONS: `--import=${pathToFileURL(path.join(import.meta.dirname, "../program/other-port.mjs")).href}`,
    PGPORT: `${postgresPort}`,
  };
  const store = await startStore(["--memory", "--seed", "animals.ndjson", ...tls], root, env);
  const port = Number(new URL(store.ready.baseUrl).port);
  const proxy = await startProxy(port);
  const full = { ...env, HTTPS_PROXY: proxy.url };
  await layStores(root, full);
  await layProfiles(root, full, store.ready.baseUrl);
  const certificate = readFileSync(`${root}/files/cert.pem`, "utf8");
  const dispatcher = new Agent({ connect: { ca: certificate } });
  return {
    apiKey,
    /** That of every host. */
    certificate,
    /** Copies the home and the files for one test; returns the environment for it. */
    place: () => {
      const folder = mkdtempSync(path.join(tmpdir(), "pets-help-"));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      cpSync(`${root}/home`, `${folder}/home`, { recursive: true });
      cpSync(`${root}/files`, `${folder}/files`, { recursive: true });
      return { folder: `${folder}/files`, env: { ...full, HOME: `${folder}/home` } };
    },
    /** Resets the animals of the store to the seed. */
    reset: async () => {
      const headers = { authorization: `Bearer ${apiKey}` };
      const url = new URL("/_store/reset", store.ready.baseUrl);
      const { body } = await request(url, { method: "POST", headers, dispatcher });
      await body.dump();
    },
    remove: async () => {
      await dispatcher.close();
      store.stop();
      proxy.close();
      // Until then it writes to its home.
      await store.ended;
      rmSync(root, { recursive: true, force: true });
    },
  };
}

const shelter = "../../fixtures/shelters/austin-outcomes.csv";
const tls = ["--plan", "pro", "--tls-cert", "cert.pem", "--tls-key", "key.pem"];

/** Makes the program on the path, and the files that examples name. */
function layFiles(root: string): void {
  for (const folder of ["bin", "home", "files"]) mkdirSync(path.join(root, folder));
  const exec = `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`;
  writeFileSync(`${root}/bin/pets`, exec, { mode: 0o755 });
  const { cert, key } = makeCertificate(
    ["IP:127.0.0.1", ...hosts.map((host) => `DNS:${host}`)].join(","),
  );
  const listing = "#!/bin/sh\npets list --limit 100 --json > seen.json\n";
  const files: Record<string, string | Buffer> = {
    "cert.pem": cert,
    "key.pem": key,
    "key.txt": `${apiKey}\n`,
    "names.txt": "Rex\nLuna the 2nd\n",
    "animals.ndjson": ndjson,
    "shelter.csv": "name,categoryId,status\nMia,1,available\nLeo,2,\n",
    "week48.csv": "name,categoryId,status\nMia,1,available\nLeo,2,\n",
    "week49.csv": "Animal,Species,Chip\nMia,cat,276003\n",
    "week48-results.csv": "Animal,Species,Chip,outcome,id,error\nMia,cat,276003,rejected,,no\n",
    "shelter.map":
      "--map Animal=name\n--map Species=category\n--value category:cat=2\n--key Chip\n",
    "austin-outcomes.csv": readFileSync(path.join(import.meta.dirname, shelter)),
    "test.sh": listing,
    "add-animals": "#!/bin/sh\ntouch added\n",
    "add-50-animals": "#!/bin/sh\ntouch added\n",
  };
  for (const [name, content] of Object.entries(files))
    writeFileSync(`${root}/files/${name}`, content, { mode: 0o700 });
}

/** Starts a `pets serve` in the folder of the files, and waits until it is ready. */
async function startStore(words: readonly string[], root: string, env: Env) {
  const all = ["serve", "--json", "--port", "0", ...words];
  const child = spawn(process.execPath, [script, ...all], {
    cwd: `${root}/files`,
    env: { ...env, HOME: `${root}/home`, PETS_SERVE_KEY: apiKey },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout, "data");
  const ready: Ready = JSON.parse(String(line));
  const ended = once(child, "exit");
  return { ready, ended, stop: () => child.kill() };
}

/** Makes the data of a store of this user, and shop.db, both with the key that examples revoke. */
async function layStores(root: string, env: Env): Promise<void> {
  for (const words of [[], ["--data", "shop.db"]]) {
    const { ready, ended, stop } = await startStore(words, root, env);
    stop();
    await ended;
    const database = new DatabaseSync(path.resolve(root, "files", ready.data));
    const insert =
      "INSERT INTO keys (id, hash, plan, created_at, is_operator) VALUES (?, ?, 'free', 0, 0)";
    database.prepare(insert).run(revokedId, Buffer.alloc(32));
    database.close();
  }
}

/** Makes a profile for each host and one for this machine; `default` is the current one. */
async function layProfiles(root: string, env: Env, local: string): Promise<void> {
  const profiles = {
    local,
    staging: "https://staging.example/v1",
    other: "https://other.example/v1",
    default: "https://store.example/v1",
  };
  for (const [name, url] of Object.entries(profiles)) {
    const words = ["login", "--profile", name, "--base-url", url];
    const home = { ...env, HOME: `${root}/home` };
    const { code, stderr } = await runPets(words, { env: home, input: apiKey });
    if (code !== 0) throw new Error(stderr);
  }
}
