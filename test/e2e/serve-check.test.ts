import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runPets, temporaryFolder } from "../support/program/program.ts";

/** Adds twenty animals, each with a 500, and again. */
const repeating = `
  const add = (name, fault) =>
    fetch(process.env.PETS_BASE_URL + "/pets", {
      method: "POST",
      headers: {
        authorization: "Bearer " + process.env.PETS_API_KEY,
        "Content-Type": "application/json",
        ...fault,
      },
      body: JSON.stringify({ name, categoryId: 1 }),
    }).then((reply) => reply.text());
  (async () => {
    for (let n = 0; n < 20; n++) {
      await add("Rex" + n, { "x-pets-fault": "500" });
      await add("Rex" + n);
    }
  })();`;

it("pets serve --check finds an animal that was added again after a 500", async () => {
  const file = path.join(temporaryFolder(), "report.json");
  const words = ["serve", "--check", "--report", file, "--", process.execPath, "-e", repeating];
  const { code, stderr } = await runPets(words);
  const { duplicates } = JSON.parse(readFileSync(file, "utf8"));
  expect(code).toBe(1);
  expect(duplicates.length).toBeGreaterThan(2);
  expect(duplicates.length).toBeLessThan(18);
  for (const { ids } of duplicates) expect(ids[1]).toBe(ids[0] + 1);
  expect(stderr).toContain(`"${duplicates[0].name}" (ids `);
  expect(stderr).toMatch(/\nCheck failed: animals added twice\n$/);
});

it("pets serve --check says what came instead if the client leaves out /v1", async () => {
  const lost = `fetch(new URL("/pets?page=2", process.env.PETS_BASE_URL))`;
  const { code, stderr } = await runPets(["serve", "--check", "--", process.execPath, "-e", lost]);
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /^Outside \/v1  GET \/pets: 1\nCheck failed: no request was below \/v1\n$/m,
  );
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
