import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { later } from "../support/command/machine.ts";
import { runInTime } from "../support/command/world.ts";
import { envFor, temporaryFolder } from "../support/program/program.ts";
import { startShop } from "../support/servers/shop.ts";

const names = ["Rex", "Mia", "Leo", "Tom"];

const line = (name: string): string => JSON.stringify({ name, categoryId: 1, status: "sold" });

function file(): string {
  const found = path.join(temporaryFolder(), "pets.ndjson");
  writeFileSync(found, `${names.map(line).join("\n")}\n`);
  return found;
}

/** Starts a run in which some replies are lost, after the row was added (`isKept`) or before. */
async function begin(isKept: Record<string, boolean>) {
  const shop = await startShop("store-1");
  const env = envFor(shop);
  const args = ["add", "--from", file(), "--concurrency", "1"];
  shop.intercept = ({ method, body }, response) => {
    const name = method === "POST" ? JSON.parse(body).name : "";
    if (!(name in isKept)) return false;
    if (isKept[name]) shop.add(body);
    response.destroy();
    return true;
  };
  const run = await runInTime([...args, "-o", "json"], { env });
  expect(run.code).toBe(9);
  shop.intercept = () => false;
  return { shop, env, args, run };
}

describe("a row whose reply was lost", () => {
  it("is printed in full", async () => {
    const { env, args, run } = await begin({ Mia: true });
    const unknown = run.stdout.split("\n").find((text) => text.includes('"unknown"')) ?? "";
    expect(JSON.parse(unknown)).toMatchObject({
      line: 2,
      outcome: "unknown",
      pet: { name: "Mia", categoryId: 1, status: "sold" },
    });
    const table = await runInTime(args, { env });
    expect(table.stderr).toMatch(/line 2: Mia .*1.*sold/);
    expect(table.stderr).toContain("--check-unknown");
  });

  it("is settled by the lists, and the plain command sends what was not added", async () => {
    const { shop, env, args } = await begin({ Rex: false, Mia: true });
    const posts = shop.posts;
    const early = await runInTime([...args, "--check-unknown", "-o", "json"], { env });
    expect(early.code).toBe(9);
    expect(early.stdout).toMatch(/^\{"line":1,"outcome":"unknown".*\n\{"line":2,"outcome":"added"/);
    expect(early.stderr).toMatch(
      /^The service may still add 1 animal sent less than a minute ago: check again at [\d:]+\.$/m,
    );
    const check = await runInTime([...args, "--check-unknown", "-o", "json"], {
      env,
      clock: later,
    });
    expect([check.code, check.stdout]).toEqual([9, ""]);
    expect(check.stderr).toContain("1 not sent");
    expect(check.stderr).toMatch(/To send the rest: pets add --from \S+ --concurrency 1 -o json\n/);
    expect(shop.posts).toBe(posts);
    expect(await runInTime(args, { env })).toMatchObject({ code: 0 });
    expect(shop.names().toSorted()).toEqual(names.toSorted());
    expect(await runInTime([...args, "--check-unknown"], { env })).toMatchObject({ code: 0 });
  });

  it("stays unknown if no list proves anything", async () => {
    const { shop, env, args } = await begin({ Rex: false });
    for (let i = 0; i < 100; i += 1)
      shop.add(JSON.stringify({ name: `Pet ${i}`, categoryId: 1, status: "sold" }));
    const check = await runInTime([...args, "--check-unknown", "-o", "json"], { env });
    expect(check.code).toBe(9);
    expect(JSON.parse(check.stdout)).toMatchObject({ line: 1, outcome: "unknown" });
    expect(shop.gets.at(-1)).toBe("/v1/pets?limit=100&status=sold");
    expect(await runInTime([...args, "--retry-unknown"], { env })).toMatchObject({ code: 0 });
    expect(shop.names().filter((name) => name === "Rex")).toHaveLength(1);
  });

  it("is not mistaken for an animal that another file added", async () => {
    const { shop, env, args } = await begin({ Rex: false });
    const other = file();
    writeFileSync(other, '{"name":"Rex","categoryId":1,"status":"sold"}\n');
    expect(await runInTime(["add", "--from", other, "--again"], { env })).toMatchObject({
      code: 0,
    });
    const check = await runInTime([...args, "--check-unknown"], { env, clock: later });
    expect(check.stderr).toContain("1 not sent");
    expect(shop.names()).toHaveLength(4);
  });
});

it.each(["--again", "--retry-unknown", "--dry-run"])("can't be used with %s", async (flag) => {
  const run = await runInTime(["add", "--from", file(), "--check-unknown", flag]);
  expect(run.code).toBe(2);
  expect(run.stderr).toContain("--check-unknown");
});
