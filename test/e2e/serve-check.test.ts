import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runPets, temporaryFolder } from "../support/program/program.ts";

/** Runs a command on a store that judges its clients; returns the report as well. */
async function check(command: readonly string[], options: readonly string[] = []) {
  const file = path.join(temporaryFolder(), "report.json");
  const words = ["serve", "--check", "--report", file, ...options, "--", ...command];
  const run = await runPets(words);
  return { ...run, file, report: JSON.parse(readFileSync(file, "utf8")) };
}

/** Returns a client as a program for Node, with `ask` for a request. */
function nodeClient(body: string): readonly string[] {
  const text = `
    const ask = (path, { fault, ...options } = {}) =>
      fetch(new URL(path, process.env.PETS_BASE_URL), {
        headers: {
          authorization: "Bearer " + process.env.PETS_API_KEY,
          ...(fault && { "x-pets-fault": fault }),
        },
        ...options,
      }).then((reply) => reply.text()).catch(() => {});
    const add = { method: "POST", body: '{"name":"Rex","categoryId":1}' };
    (async () => { ${body} })();`;
  return [process.execPath, "-e", text];
}

describe.concurrent("pets serve --check", () => {
  it("passes a command that does nothing wrong, and reports it", async () => {
    const run = await check(nodeClient(`await ask("/v1/pets", add); await ask("/v1/pets");`));
    expect(run).toMatchObject({ code: 0, stdout: "" });
    expect(run.report).toEqual({
      requests: { 200: 1, 201: 1 },
      early: 0,
      bans: 0,
      duplicates: [],
      abandoned: 0,
    });
    expect(run.stderr).toContain("Requests     2 (200: 1, 201: 1)\n");
    expect(run.stderr).toMatch(/\nCheck passed\n$/);
    expect(statSync(run.file).mode & 0o777).toBe(0o600);
  });

  it("finds an animal that was added again after a 500", async () => {
    const run = await check(
      nodeClient(`for (let n = 0; n < 20; n++) {
        const named = { ...add, body: add.body.replace("Rex", "Rex" + n) };
        await ask("/v1/pets", { ...named, fault: "500" });
        await ask("/v1/pets", named);
      }`),
    );
    expect(run.code).toBe(1);
    expect(run.report.duplicates.length).toBeGreaterThan(2);
    expect(run.report.duplicates.length).toBeLessThan(18);
    for (const { ids } of run.report.duplicates) expect(ids[1]).toBe(ids[0] + 1);
    expect(run.stderr).toContain(`"${run.report.duplicates[0].name}" (ids `);
  });
});

describe("--report", () => {
  it("is opened before the command starts, or the command does not run", async () => {
    const folder = temporaryFolder();
    const ran = path.join(folder, "ran");
    for (const file of [folder, path.join(folder, "missing", "x.json")]) {
      const run = await runPets(["serve", "--report", file, "--", "touch", ran]);
      expect(run).toMatchObject({ code: 1, stdout: "" });
      expect(run.stderr).toContain(`pets: the report ${file} cannot be written`);
    }
    expect(existsSync(ran)).toBe(false);
  });

  it("alone changes no exit code; it replaces a file, even through a link, and makes it private", async () => {
    const folder = temporaryFolder();
    const [file, link] = [path.join(folder, "old.json"), path.join(folder, "link.json")];
    writeFileSync(file, "x".repeat(9_999), { mode: 0o644 });
    symlinkSync(file, link);
    const seen = `[ ! -s ${link} ] && stat -L -c %a ${link}`;
    const run = await runPets(["serve", "--report", link, "--", "sh", "-c", seen]);
    expect(run).toMatchObject({ code: 0, stdout: "600\n", stderr: "" });
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ requests: {} });
  });
});
