import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { launchBrowser } from "../support/browser/chromium.ts";
import type { Ready } from "../support/servers/serve.ts";

const script = path.resolve(import.meta.dirname, "../../bin/pets.js");
const plans = ["--plan", "pro", "--plan", "free", "--plan", "enterprise"];
const serve = ["serve", "--json", "--port", "0", "--memory", "--seed", "83", ...plans];
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
    const { baseUrl, apiKey, keys, page }: Required<Ready> = JSON.parse(line);
    const [, other] = keys;
    return await photograph(page, folder, (target, { fault, body, isOther = false } = {}) =>
      fetch(`${baseUrl}${target}`, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          Authorization: `Bearer ${isOther ? other?.apiKey : apiKey}`,
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

/** Sends a request; `isOther` does it with the second key. */
type Send = (
  target: string,
  options?: { readonly fault?: string; readonly body?: string; readonly isOther?: boolean },
) => Promise<unknown>;

async function photograph(link: string, folder: string, send: Send) {
  const browser = await launchBrowser(path.join(folder, "browser"), { viewport });
  try {
    const page = browser.pages()[0] ?? (await browser.newPage());
    await page.goto(link);
    await page.getByText("live", { exact: true }).waitFor();
    const show = (view: string) =>
      page.getByRole("navigation").getByRole("link", { name: view }).click();
    const pictures = new Map<string, Buffer>();
    const take = async (name: string, colorScheme: "light" | "dark") => {
      await page.emulateMedia({ colorScheme });
      await page.mouse.move(0, 0);
      pictures.set(`page-${name}.png`, await page.screenshot());
    };
    await page.getByRole("heading", { name: "Animals 83" }).waitFor();
    await take("animals", "light");
    await show("Requests");
    for (let second = 0; second < 12; second += 1) {
      await sendSome(send, second);
      await page.waitForTimeout(1_000);
    }
    await page.setViewportSize({ ...viewport, height: 900 });
    await page.locator("button.request", { hasText: "POST" }).click();
    await page.getByRole("article").waitFor();
    await page.evaluate("scrollTo(0, 0)");
    await take("request", "dark");
    await page.setViewportSize(viewport);
    for (let count = 0; count < 61; count += 1) await send("/pets?limit=1", { isOther: true });
    await show("Limits");
    await page.getByText(/^Rate limited for/).waitFor();
    await take("limits", "light");
    await show("Faults");
    await page.getByRole("switch", { name: "500" }).click();
    await page.getByRole("switch", { name: "500", checked: true }).waitFor();
    await take("faults", "dark");
    return pictures;
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
