import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { cleanEnv, runPets, script, temporaryFolder } from "../support/program/program.ts";
import { ptyAvailable, startOnPty } from "../support/program/pty.ts";
import { freePort } from "../support/servers/free-port.ts";
import { type Ready, serve, serveForPeople } from "../support/servers/serve.ts";
import { tlsFiles } from "../support/servers/tls.ts";

const authorized = ({ apiKey }: Ready) => ({
  authorization: `Bearer ${apiKey}`,
  "Content-Type": "application/json",
});

/** Adds an animal, and returns its id. Throws unless the store says that it has it. */
async function add(ready: Ready, name = "Rex"): Promise<number> {
  const body = JSON.stringify({ name, categoryId: 1 });
  const options = { method: "POST", headers: authorized(ready), body };
  const reply = await fetch(`${ready.baseUrl}/pets`, options);
  if (reply.status !== 201) throw new Error(`responded with ${reply.status}`);
  return ((await reply.json()) as { id: number }).id;
}

describe("pets serve", () => {
  it("prints one line of JSON, saves the profile local, and ends with 0 on SIGTERM", async () => {
    const env = cleanEnv();
    const { child, ended, ready, lines } = await serve(["--seed", "3"], env);
    const data = path.join(env.HOME ?? "", ".local/share/pets/store.db");
    const { apiKey } = ready;
    expect(ready).toEqual({
      baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/),
      apiKey: expect.stringMatching(/^pets_[0-9A-Za-z]{32}$/),
      plan: "free",
      keys: [{ apiKey, plan: "free" }],
      data,
      page: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#[\w-]{32}$/),
      pid: child.pid,
    });
    const list = await runPets(["list", "-o", "ndjson"], { env });
    expect(list.stdout.split("\n")).toHaveLength(4);
    expect(statSync(data).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(data)).mode & 0o777).toBe(0o700);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(lines).toHaveLength(1);
  });

  it("continues with the data and key of the profile; other data has its own", async () => {
    const env = cleanEnv();
    const first = await serve([], env);
    expect(await add(first.ready)).toBe(1);
    first.child.kill("SIGTERM");
    await first.ended;
    const second = await serve(["--seed", "9", "-q"], env);
    expect(second.ready.apiKey).toBe(first.ready.apiKey);
    expect(await add(second.ready)).toBe(2);
    const other = path.join(temporaryFolder(), "other.db");
    const third = await serve(["--data", other], env);
    expect(third.ready.apiKey).not.toBe(first.ready.apiKey);
    expect(third.ready.data).toBe(other);
  });

  it("changes nothing when another store has its port, or its data", async () => {
    const env = cleanEnv();
    const { ready } = await serve([], env);
    const profile = path.join(env.HOME ?? "", ".config/pets/config.json");
    const before = readFileSync(profile);
    const { port } = new URL(ready.baseUrl);
    const data = path.join(temporaryFolder(), "other.db");
    const onPort = await runPets(["serve", "--port", port, "--data", data], { env });
    expect(onPort).toMatchObject({ code: 1, stdout: "" });
    expect(onPort.stderr).toMatch(
      new RegExp(`^pets: port ${port} on 127\\.0\\.0\\.1 is in use\n.*--port 0`),
    );
    expect(existsSync(data)).toBe(false);
    const onData = await runPets(["serve", "--port", "0", "--json"], { env });
    expect(onData).toMatchObject({ code: 1, stdout: "" });
    const message = expect.stringContaining(ready.data);
    expect(JSON.parse(onData.stderr).error).toMatchObject({ code: "io", message });
    expect(readFileSync(profile)).toEqual(before);
    expect(await add(ready)).toBe(1);
  });

  it("reads its seed from a pipe too", async () => {
    // The outer store provides sh and pets; the standard input that Node gives a child is not a pipe.
    const rows = String.raw`{"name":"a","categoryId":1}\n{"name":"b","categoryId":2}\n`;
    const inner = "pets serve --seed /dev/stdin -- pets list --json";
    const steps = `printf '${rows}' | ${inner}`;
    const { stdout, stderr, code } = await runPets(["serve", "--", "sh", "-c", steps]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject([{ name: "b" }, { name: "a" }]);
  });

  it("warns if the profile can't be saved, tells people what they need, and ends with 0 on SIGINT", async () => {
    const env = cleanEnv();
    const profile = path.join(env.HOME ?? "", ".config/pets/config.json");
    mkdirSync(path.dirname(profile), { recursive: true });
    writeFileSync(profile, "damaged");
    chmodSync(profile, 0o600);
    const { child, text, done } = await serveForPeople(["--memory"], env);
    expect(text).toMatch(
      /^The store is ready at .*\nKey [^]*\nData .*\nTry .* PETS_API_KEY=[^]*\nPage /,
    );
    child.kill("SIGINT");
    const { code, stderr } = await done;
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: no profile was saved: .*config\.json/);
    expect(readFileSync(profile, "utf8")).toBe("damaged");
  });

  it("logs each request with --verbose, and never a key", async () => {
    const { ready, told } = await serve(["--memory", "-v"]);
    const asked = `${ready.baseUrl}/pets?key=${ready.apiKey}&limit=2`;
    await fetch(asked, { headers: authorized(ready) });
    await fetch(`${ready.baseUrl}/%1b[31m`);
    await expect.poll(() => told().split("\n").length).toBeGreaterThan(3);
    const [saved, first, second, ...others] = told().split("\n");
    expect(saved).toMatch(/^Saved /);
    const from = String.raw`^\d{4}-\d\d-\d\dT[\d:.]{12}Z 127\.0\.0\.1 `;
    expect(first).toMatch(
      new RegExp(String.raw`${from}\w{16} GET /v1/pets\?key=…\w{4}&limit=2 200 \d+ ms$`),
    );
    expect(second).toMatch(new RegExp(String.raw`${from}- GET /v1/%1b\[31m 401 \d+ ms$`));
    expect(others).toEqual([""]);
  });
});

describe("pets serve -- command", () => {
  it("gives the command a store, standard input and output, and pets on its PATH", async () => {
    const home = temporaryFolder();
    const odd = { PETS_PROFILE: "elsewhere", HTTP_PROXY: "http://127.0.0.1:1" };
    const options = { env: { ...cleanEnv(home), ...odd }, input: "from outside\n" };
    const steps = `cat; command -v pets; pets add --name Łatka --category 7 -q; pets list -o csv`;
    const words = ["serve", "--seed", "1", "--", "sh", "-c", steps];
    const { code, stdout, stderr } = await runPets(words, options);
    expect([code, stderr]).toEqual([0, ""]);
    const [input, pets = "", id, ...list] = stdout.split(/\r?\n/);
    expect([input, id, list[0], list[1]]).toEqual([
      "from outside",
      "2",
      "id,name,categoryId,status",
      "2,Łatka,7,",
    ]);
    expect(existsSync(path.dirname(pets))).toBe(false);
    expect(readdirSync(home).filter((name) => name !== ".local")).toEqual([]);
  });

  it("leaves no limiter state behind, unless its data and port may be used again", async () => {
    const env = cleanEnv();
    const limiter = path.join(env.HOME ?? "", ".local/state/pets/limiter");
    const count = `pets list -q; ls "${limiter}" | wc -l`;
    const on = (words: readonly string[]) =>
      runPets(["serve", ...words, "--", "sh", "-c", count], { env });
    expect(await on([])).toMatchObject({ code: 0, stdout: "1\n" });
    expect(readdirSync(limiter)).toEqual([]);
    const port = ["--port", String(await freePort())];
    expect(await on(port)).toMatchObject({ code: 0, stdout: "1\n" });
    expect(readdirSync(limiter)).toEqual([]);
    const data = path.join(temporaryFolder(), "store.db");
    expect(await on([...port, "--data", data])).toMatchObject({ code: 0 });
    expect(readdirSync(limiter)).toHaveLength(1);
  });

  it.each(["SIGINT", "SIGTERM", "SIGUSR1", "SIGWINCH"] as const)(
    "passes %s on, as soon as the command is there",
    async (signal) => {
      const name = signal.slice(3);
      const wait = "i=0; while [ $i -lt 1000 ]; do i=$((i + 1)); sleep 0.05; done";
      const steps = `trap 'echo got it; exit 5' ${name}; kill -s ${name} $PPID; ${wait}`;
      const ran = await runPets(["serve", "--", "sh", "-c", steps]);
      expect(ran).toMatchObject({ code: 5, stdout: "got it\n" });
    },
  );

  it.skipIf(!ptyAvailable)("lets a Ctrl-C reach the command once", async () => {
    const program = `let heard = 0;
      process.on("SIGINT", () => {
        heard += 1;
        setTimeout(() => { console.log("heard " + heard); process.exit(9); }, 300);
      });
      setInterval(() => {}, 1000);
      console.log("ready");`;
    const words = [script, "serve", "--", process.execPath, "-e", program] as const;
    const pty = await startOnPty([process.execPath, ...words], { env: cleanEnv() });
    await pty.waitFor("ready");
    pty.type("\x03");
    expect(await pty.ended).toMatchObject({
      code: 9,
      output: expect.stringContaining("heard 1\r\n"),
    });
  });
});

describe("pets serve over TLS", () => {
  it("is reached by pets if the certificate is trusted, and says how", async () => {
    const env = cleanEnv();
    const { cert, key } = tlsFiles();
    const words = ["--memory", "--seed", "3", "--tls-cert", cert, "--tls-key", key];
    const { text } = await serveForPeople(words, env);
    const trust = `NODE_EXTRA_CA_CERTS='${cert}'`;
    expect(text).toMatch(/^The store is ready at https:\/\/127\.0\.0\.1:\d+\/v1\n/);
    expect(text).toContain(`\nTry   ${trust} pets list --profile local-`);
    const trusting = { ...env, NODE_EXTRA_CA_CERTS: cert };
    const list = await runPets(["list", "--json"], { env: trusting });
    expect(JSON.parse(list.stdout)).toHaveLength(3);
    const refused = await runPets(["list", "--json"], { env });
    expect(refused.code).toBe(6);
    expect(refused.stderr).toContain("self-signed");
    const state = await runPets(["store", "state"], { env });
    expect(state.code).toBe(6);
    expect(state.stderr).toMatch(
      /^pets: the certificate of \S+ is not accepted: self-signed certificate\n[^]*NODE_EXTRA_CA_CERTS.*\n$/,
    );
  });

  it("runs a command that trusts it, in any folder", async () => {
    const cwd = path.dirname(tlsFiles().cert);
    const words = ["--seed", "2", "--tls-cert", "cert.pem", "--tls-key", "key.pem"];
    const command = ["--", "sh", "-c", "cd / && pets list -o ndjson"];
    const { code, stdout } = await runPets(["serve", ...words, ...command], { cwd });
    expect([code, stdout.split("\n").length]).toEqual([0, 3]);
  });
});

it("animals of a store that is killed are kept once their 201 was sent in five rounds, and no id is used twice", async () => {
  const env = cleanEnv();
  const told = new Map<number, string>();
  for (let round = 0; round < 5; round += 1) {
    const { child, ended, ready } = await serve(["--plan", "enterprise"], env);
    const adding = Array.from({ length: 16 }, async (_none, client) => {
      for (let turn = 0; ; turn += 1) {
        const name = `${round} ${client} ${turn}`;
        const id = await add(ready, name).catch(() => undefined);
        if (id === undefined) return;
        expect(told.has(id)).toBe(false);
        told.set(id, name);
      }
    });
    const enough = told.size + 10 * (round + 1);
    await expect.poll(() => told.size, { interval: 2 }).toBeGreaterThan(enough);
    child.kill("SIGKILL");
    await Promise.all([ended, ...adding]);
  }
  const { ready } = await serve(["--plan", "enterprise"], env);
  const headers = authorized(ready);
  for (const [id, name] of told) {
    const reply = await fetch(`${ready.baseUrl}/pets/${id}`, { headers });
    expect(await reply.json()).toEqual({ id, name, categoryId: 1 });
  }
});
