import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { cleanEnv, runPets, script, temporaryFolder } from "../support/program/program.ts";
import { ptyAvailable, startOnPty } from "../support/program/pty.ts";
import { freePort } from "../support/servers/free-port.ts";
import { type Ready, serve, serveForPeople } from "../support/servers/serve.ts";

const authorized = ({ apiKey }: { readonly apiKey: string }) => ({
  authorization: `Bearer ${apiKey}`,
});

async function add(ready: Ready, name = "Rex"): Promise<number> {
  const body = JSON.stringify({ name, categoryId: 1 });
  const reply = await fetch(`${ready.baseUrl}/pets`, {
    method: "POST",
    headers: authorized(ready),
    body,
  });
  const pet = (await reply.json()) as { id: number };
  return reply.status === 201 ? pet.id : -reply.status;
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

  it("tells people what they need, and ends with 0 on SIGINT", async () => {
    const { child, text, done } = await serveForPeople([]);
    expect(text).toMatch(
      /^The store is ready at http:\/\/127\.0\.0\.1:\d+\/v1\nKey {3}pets_\w+ \(id \w{16}, plan free: 60 requests per minute, 1,000 per day\)\nData {2}\/.*store\.db\nTry {3}pets list --profile local-\d+\nPage {2}http:\/\/127\.0\.0\.1:\d+\/#[\w-]{32}\n$/,
    );
    child.kill("SIGINT");
    const { code, stderr } = await done;
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^Saved base URL and key as profile local-\d+, now the current one\.\n$/,
    );
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

  it("changes nothing when the port is in use", async () => {
    const env = cleanEnv();
    const taken = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await new Promise((listening) => taken.once("listening", listening));
    const { port } = taken.address() as { port: number };
    const { code, stderr } = await runPets(["serve", "--port", String(port)], { env });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      new RegExp(`^pets: port ${port} on 127\\.0\\.0\\.1 is in use\n.*--port 0`),
    );
    expect(readdirSync(env.HOME ?? "")).toEqual([]);
  });

  it("changes nothing when another store has the data", async () => {
    const env = cleanEnv();
    const { ready } = await serve([], env);
    const profile = path.join(env.HOME ?? "", ".config/pets/config.json");
    const before = readFileSync(profile);
    const { code, stderr, stdout } = await runPets(["serve", "--port", "0", "--json"], { env });
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(JSON.parse(stderr).error).toMatchObject({
      code: "io",
      message: expect.stringContaining(ready.data),
    });
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

  it("continues with a warning if the profile can't be saved", async () => {
    const env = cleanEnv();
    const profile = path.join(env.HOME ?? "", ".config/pets/config.json");
    mkdirSync(path.dirname(profile), { recursive: true });
    writeFileSync(profile, "damaged");
    chmodSync(profile, 0o600);
    const { child, text, done } = await serveForPeople(["--memory"], env);
    expect(text).toContain("PETS_API_KEY=");
    child.kill("SIGTERM");
    const { code, stderr } = await done;
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: no profile was saved: .*config\.json/);
    expect(readFileSync(profile, "utf8")).toBe("damaged");
  });

  it("logs each request with --verbose, and never a key", async () => {
    const { ready, told } = await serve(["--memory", "-v"]);
    const headers = authorized(ready);
    await fetch(`${ready.baseUrl}/pets?key=${ready.apiKey}&limit=2`, { headers });
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
    const env = {
      ...cleanEnv(home),
      PETS_PROFILE: "elsewhere",
      HTTP_PROXY: "http://127.0.0.1:1",
    };
    const steps = `cat; command -v pets; pets add --name Łatka --category 7 -q; pets list -o csv`;
    const { code, stdout, stderr } = await runPets(
      ["serve", "--seed", "1", "--", "sh", "-c", steps],
      {
        env,
        input: "from outside\n",
      },
    );
    expect(stderr).toBe("");
    expect(code).toBe(0);
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
      const wait = "i=0; while [ $i -lt 200 ]; do i=$((i + 1)); sleep 0.05; done";
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
