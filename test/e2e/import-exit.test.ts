import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runPets, temporaryFolder } from "../support/program/program.ts";
import { startShop } from "../support/servers/shop.ts";

const runs = 4;
const rows = 5000;

// Flags of V8 that change its collector at run time let one of ten hang for good (nodejs/node#54918).
it(
  "imports and dry runs with many known rows end beside a busy loop",
  { timeout: 120_000 },
  async () => {
    const shop = await startShop("store-1");
    const home = temporaryFolder();
    const env = {
      HOME: home,
      PATH: process.env.PATH ?? "",
      PETS_BASE_URL: shop.baseUrl,
      PETS_API_KEY: "key-of-nobody",
    };
    const write = (name: string, first: number): string => {
      const file = path.join(home, name);
      const lines = Array.from({ length: rows }, (_none, i) => `Pet ${i + first},1\n`);
      writeFileSync(file, `name,category\n${lines.join("")}`);
      return file;
    };
    expect(await runPets(["add", "--from", write("a.csv", 0), "-q"], { env })).toMatchObject({
      code: 0,
    });
    const busy = spawn(process.execPath, ["-e", "for (;;);"]);
    onTestFinished(() => void busy.kill());
    const edited = write("b.csv", 1);
    for (let run = 0; run < runs; run += 1) {
      const words = run % 2 === 0 ? ["--dry-run"] : [];
      const { code } = await runPets(["add", "--from", edited, "-q", ...words], { env });
      expect(code).toBe(run % 2 === 0 ? 0 : 2);
    }
  },
);
