import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { launchBrowser } from "../support/chromium.ts";
import { script } from "../support/program.ts";

const serve = ["serve", "--json", "--port", "0", "--memory", "--seed", "24", "--plan", "pro"];
const viewport = { width: 1_000, height: 620 };

/** Returns pictures of the page of a real store, as PNG by file name. */
export async function pagePictures(): Promise<ReadonlyMap<string, Buffer>> {
  const folder = mkdtempSync(path.join(tmpdir(), "pets-pictures-"));
  const env = { PATH: process.env.PATH ?? "", HOME: folder, TZ: "UTC" };
  const child = spawn(process.execPath, [script, ...serve], { env });
  try {
    const line = await new Promise<string>((resolve) =>
      createInterface(child.stdout).once("line", resolve),
    );
    const { baseUrl, apiKey, page }: { baseUrl: string; apiKey: string; page: string } =
      JSON.parse(line);
    return await photograph(page, folder, (target, fault = "", body?: string) =>
      fetch(`${baseUrl}${target}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { Authorization: `Bearer ${apiKey}`, ...(fault && { "X-Pets-Fault": fault }) },
        ...(body !== undefined && { body }),
      }).catch(() => undefined),
    );
  } finally {
    child.kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

type Send = (target: string, fault?: string, body?: string) => Promise<unknown>;

async function photograph(link: string, folder: string, send: Send) {
  const browser = await launchBrowser(path.join(folder, "browser"), { viewport });
  try {
    const page = browser.pages()[0] ?? (await browser.newPage());
    await page.goto(link);
    await page.getByText("live", { exact: true }).waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Requests" }).click();
    for (let second = 0; second < 12; second += 1) {
      await sendSome(send, second);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    return new Map([["page-requests.png", await page.screenshot()]]);
  } finally {
    await browser.close();
  }
}

/** The requests of one second, with trouble among them. */
async function sendSome(send: Send, second: number): Promise<void> {
  for (let count = 0; count < 3 + ((second * 5) % 7); count += 1)
    await send(`/pets?limit=${10 + count}`);
  if (second % 4 === 1) await send("/pets?status=available", "429");
  if (second % 5 === 3) await send("/pets", "500");
  if (second === 8) await send("/pets", "reset");
  if (second === 10) await send("/pets", "", '{"name":"Biscuit","categoryId":3}');
  await send(second % 3 === 0 ? "/pets/999" : `/pets/${second + 1}`);
}
