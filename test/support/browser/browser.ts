import type { BrowserContextOptions, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { serve } from "../servers/serve.ts";
import { asker, openContext } from "./chromium.ts";

/** A window with an empty profile in the browser of this file, and the errors in it. */
export async function openBrowser(options: BrowserContextOptions = {}) {
  const context = await openContext(options);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  context.setDefaultTimeout(60_000);
  const errors: string[] = [];
  const requests: string[] = [];
  page.on("pageerror", ({ message }) => errors.push(message));
  page.on("request", (request) => requests.push(request.url()));
  return { context, page, errors, requests };
}

/** Starts a store with these arguments, and opens its page; `ask` sends a request with its key. */
export async function openPage(
  words: readonly string[] = ["--memory", "--seed", "3"],
  options: BrowserContextOptions = {},
) {
  const served = await serve(words);
  const browser = await openBrowser(options);
  await openLink(browser.page, served.ready.page);
  return { ...browser, served, ask: asker(served.ready) };
}

/** Opens a link to the page of a store, and waits until it is live. */
export async function openLink(page: Page, link = ""): Promise<void> {
  await page.goto(link);
  await page.getByText("live", { exact: true }).waitFor();
}

/** Opens a view of the page by its name. */
export async function showView(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name }).click();
  await page.getByRole("heading", { level: 2, name: new RegExp(`^${name}`) }).waitFor();
}
