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
