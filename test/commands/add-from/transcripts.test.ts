import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { TerminationSignal } from "../../../src/platform/io.ts";
import { runInTime } from "../../support/command/world.ts";
import { envFor, temporaryFolder } from "../../support/program/program.ts";
import { failing, startShop } from "../../support/servers/shop.ts";
import { type Answer, errorBody } from "../../support/servers/stranger.ts";

const fixtures = path.join(import.meta.dirname, "../../fixtures/transcripts");

/** A terminal session at a shop: what was typed, and what was printed. */
async function startSession() {
  const shop = await startShop("store-1");
  const env = envFor({ ...shop, apiKey: "pets_test_key_51f3" });
  const folder = temporaryFolder();
  let handler: ((signal: TerminationSignal) => void) | undefined;
  let transcript = "";
  return {
    shop,
    signal: (signal: TerminationSignal) => handler?.(signal),
    get transcript() {
      return transcript;
    },
    /** Writes a CSV file of these rows. */
    save: (file: string, rows: readonly string[], header = "name,categoryId,status"): void => {
      writeFileSync(path.join(folder, file), [header, ...rows, ""].join("\n"));
    },
    /** Runs `pets add --from FILE` with these flags. */
    add: async (file: string, ...flags: readonly string[]): Promise<void> => {
      const { code, stdout, stderr } = await runInTime(
        ["add", "--from", path.join(folder, file), ...flags],
        {
          env,
          interceptSignals(listener) {
            handler = listener;
            return () => {};
          },
        },
      );
      const typed = ["$ pets add --from", file, ...flags].join(" ");
      const shown = stdout === "" ? "" : `--- standard output\n${stdout}`;
      const said = stderr === "" ? "" : `--- standard error\n${stderr}`;
      const text = `${typed}\n${shown}${said}--- exit code ${code}\n\n`;
      transcript += normalized(text.replaceAll(`${folder}/`, ""), new URL(shop.baseUrl).host);
    },
  };
}

/** Replaces what differs from run to run: the port, durations and times of day. */
function normalized(text: string, host: string): string {
  return text
    .replaceAll(host, "127.0.0.1:4010")
    .replaceAll(/\bin [\d.]+ m?s\b/g, "in 1.2 s")
    .replaceAll(/\b\d+ s ago\b/g, "5 s ago")
    .replaceAll(/\b(?:[A-Z][a-z]{2} \d+, |\d{4}-\d\d-\d\d )?\d\d:\d\d(?::\d\d)?\b/g, "14:05");
}

type Session = Awaited<ReturnType<typeof startSession>>;

const shelter = ["Rex,1,available", "Mia,2,pending", "Leo,2,sold", "Zoë,1,available"];

const refusal = (status: number, code: string, message: string, headers = {}) =>
  failing(status, errorBody(status, code, message), headers);

/** Ends a connection after the animal was stored. */
const lost =
  ({ shop }: Session): Answer =>
  ({ body }, response) => {
    shop.add(body);
    response.destroy();
  };

async function interrupted({ shop, save, add, signal }: Session): Promise<void> {
  save("shelter.csv", shelter);
  shop.on("Mia", ({ body }, response) => {
    signal("SIGINT");
    const headers = { "content-type": "application/json", "X-Pets-Store": "store-1" };
    setTimeout(() => response.writeHead(201, headers).end(JSON.stringify(shop.add(body))), 700);
  });
  await add("shelter.csv", "--concurrency", "1");
  shop.intercept = () => false;
}

const sessions: Readonly<Record<string, (session: Session) => Promise<void>>> = {
  async "all-well"({ save, add }) {
    save("shelter.csv", shelter);
    await add("shelter.csv");
    await add("shelter.csv");
  },
  async "rejected-rows"({ shop, save, add }) {
    save("shelter.csv", shelter);
    shop.on("Mia", refusal(422, "invalid", "categoryId: unknown category 2"));
    await add("shelter.csv", "--concurrency", "1");
    await add("shelter.csv", "--concurrency", "1");
  },
  async "unknown-rows"(session) {
    const { save, add, shop } = session;
    save("shelter.csv", shelter);
    shop.on("Mia", lost(session));
    await add("shelter.csv", "--concurrency", "1");
    await add("shelter.csv", "--concurrency", "1");
    shop.intercept = () => false;
    await add("shelter.csv", "--concurrency", "1", "--check-unknown");
  },
  async "unknown-rows-undecided"(session) {
    const { save, add, shop } = session;
    save("shelter.csv", shelter);
    for (let i = 0; i < 100; i++)
      shop.add(JSON.stringify({ name: `Pet ${i}`, categoryId: 1, status: "pending" }));
    shop.on("Mia", (_request, response) => response.destroy());
    await add("shelter.csv", "--concurrency", "1");
    await add("shelter.csv", "--concurrency", "1", "--check-unknown");
    shop.intercept = () => false;
    await add("shelter.csv", "--concurrency", "1", "--retry-unknown");
  },
  async limited({ shop, save, add }) {
    save("shelter.csv", shelter);
    const wait = { "Retry-After": "59640" };
    shop.on("Leo", refusal(429, "rate_limited", "Rate limit exceeded", wait));
    await add("shelter.csv", "--concurrency", "1");
  },
  interrupted,
  async resumed(session) {
    await interrupted(session);
    await session.add("shelter.csv", "--concurrency", "1");
  },
  async "known-and-changed-rows"({ save, add }) {
    save("shelter.csv", shelter);
    await add("shelter.csv", "--quiet");
    save("edited.csv", ["Rex,1,sold", "Mia,2,pending", "Ada,3,available"]);
    await add("edited.csv");
    await add("edited.csv", "--only-new");
    save("larger.csv", ["Rex,1,available", "Ben,1,", "Eva,2,", "Ida,3,"]);
    await add("larger.csv");
  },
  async "dry-run"({ save, add }) {
    save("shelter.csv", shelter);
    await add("shelter.csv", "--dry-run");
    await add("shelter.csv", "--quiet");
    save("edited.csv", ["Rex,1,sold", "Mia,2,pending", "Ada,3,available"]);
    await add("edited.csv", "--dry-run");
  },
  async "wrong-header"({ save, add }) {
    save("shelter.csv", ["Rex,Dog,available", "Mia,Cat,gone"], "Pet Name,Animal Type,status");
    await add("shelter.csv");
    save("rows.csv", shelter.slice(1), shelter[0]);
    await add("rows.csv");
    save("invalid.csv", ["Rex,x,available", ",2,gone"]);
    await add("invalid.csv");
  },
  async "other-store"({ shop, save, add }) {
    save("shelter.csv", shelter);
    shop.on("Leo", refusal(401, "unauthorized", "invalid API key"));
    await add("shelter.csv", "--concurrency", "1");
    shop.storeId = "store-2";
    shop.intercept = () => false;
    await add("shelter.csv", "--concurrency", "1");
    save("more.csv", ["Ada,3,available", "Ben,1,"]);
    shop.on("Ben", refusal(201, "", "", { "X-Pets-Store": "store-3" }));
    await add("more.csv", "--concurrency", "1");
  },
};

it.each(Object.entries(sessions))("pets add --from, %s", async (name, play) => {
  const session = await startSession();
  await play(session);
  await expect(session.transcript).toMatchFileSnapshot(path.join(fixtures, `${name}.txt`));
});
