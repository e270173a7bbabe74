// Makes the picture of the page again, from a real store in a real browser.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { browserAvailable, launchBrowser } from "../support/browser/chromium.ts";
import type { Ready } from "../support/servers/serve.ts";

const script = path.resolve(import.meta.dirname, "../../bin/pets.js");
const serve = ["serve", "--json", "--port", "0", "--memory", "--seed", "83", "--plan", "pro"];
const viewport = { width: 1_000, height: 900 };

if (!browserAvailable) throw new Error("the picture of the page needs Chromium");
const png = await pagePicture();
writeFileSync(path.join(import.meta.dirname, "page-request.png"), png);
console.log(`page-request.png  ${png.length} bytes`);

/** Returns a picture of the page of a real store, as PNG. */
async function pagePicture(): Promise<Buffer> {
  const folder = mkdtempSync(path.join(tmpdir(), "pets-pictures-"));
  const env = { PATH: process.env.PATH ?? "", HOME: folder, TZ: "UTC" };
  const child = spawn(process.execPath, [script, ...serve], { env });
  try {
    const line = await new Promise<string>((resolve) =>
      createInterface(child.stdout).once("line", resolve),
    );
    const { baseUrl, apiKey, page }: Required<Ready> = JSON.parse(line);
    return await photograph(page, folder, (target, { fault, body } = {}) =>
      fetch(`${baseUrl}${target}`, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          Authorization: `Bearer ${apiKey}`,
          ...(fault && { "X-Pets-Fault": fault }),
          ...(body && { "Content-Type": "application/json" }),
        },
        ...(body !== undefined && { body }),
      }).catch(() => undefined),
    );
  } finally {
    child.kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Sends a request. */
type Send = (
  target: string,
  options?: { readonly fault?: string; readonly body?: string },
) => Promise<unknown>;

async function photograph(link: string, folder: string, send: Send): Promise<Buffer> {
  const browser = await launchBrowser(path.join(folder, "browser"), { viewport });
  try {
    const page = browser.pages()[0] ?? (await browser.newPage());
    await page.emulateMedia({ colorScheme: "dark" });
    await page.goto(link);
    await page.getByText("live", { exact: true }).waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Requests" }).click();
    for (let second = 0; second < 12; second += 1) {
      await sendSome(send, second);
      await page.waitForTimeout(1_000);
    }
    await page.locator(".request", { hasText: "POST" }).click();
    await page.getByRole("article").waitFor();
    await page.evaluate("scrollTo(0, 0)");
    await page.mouse.move(0, 0);
    return await page.screenshot();
  } finally {
    await browser.close();
  }
}

/** The requests of one second, with trouble among them. */
async function sendSome(send: Send, second: number): Promise<void> {
  for (let count = 0; count < 3 + ((second * 5) % 7); count += 1)
    await send(`/pets?limit=${10 + count}`);
  if (second % 4 === 1) await send("/pets?status=available", { fault: "429" });
  if (second % 5 === 3) await send("/pets", { fault: "500" });
  if (second === 8) await send("/pets", { fault: "reset" });
  if (second === 10) await send("/pets", { body: '{"name":"Biscuit","categoryId":3}' });
  await send(second % 3 === 0 ? "/pets/999" : `/pets/${second + 1}`);
}
