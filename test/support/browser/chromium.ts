import { existsSync } from "node:fs";
import { type BrowserContext, type BrowserContextOptions, chromium } from "playwright-core";

const executablePath = "/usr/bin/chromium";

/** Returns whether there is a Chromium for the tests. If not, prints on standard error that they are skipped. */
export const browserAvailable = existsSync(executablePath);
if (!browserAvailable)
  console.warn(`skipped: the tests of the page, for there is no Chromium at ${executablePath}`);

const args = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Starts a browser whose profile is kept in `folder`. */
export function launchBrowser(
  folder: string,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, {
    executablePath,
    args,
    headless: true,
    timeout: 60_000,
    viewport: { width: 1_000, height: 800 },
    ...options,
  });
}
