import type { BrowserContextOptions, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { cleanEnv } from "../program/program.ts";
import { type Served, serve } from "../servers/serve.ts";
import { openContext } from "./chromium.ts";

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

interface AskOptions {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A store whose page is open in a browser. */
export interface OpenPage extends Awaited<ReturnType<typeof openBrowser>> {
  readonly served: Served;
  /** Sends a request with the key of the store. */
  readonly ask: (path: string, init?: AskOptions) => Promise<Response>;
}

/** Starts a store with these arguments, and opens its page. */
export async function openPage(
  words: readonly string[] = ["--memory", "--seed", "3"],
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const served = await serve(words, cleanEnv());
  const browser = await openBrowser(options);
  await browser.page.goto(served.ready.page ?? "");
  await browser.page.getByText("live", { exact: true }).waitFor();
  return { ...browser, served, ask: asker(served.ready) };
}

/** Returns a function that sends requests with the key of a store. */
export function asker({ baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string }) {
  return (path: string, init: AskOptions = {}): Promise<Response> => {
    const headers = { Authorization: `Bearer ${apiKey}`, ...init.headers };
    return fetch(new URL(path, baseUrl), { ...init, headers });
  };
}

/** Opens a view of the page by its name. */
export async function showView(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name }).click();
  await page.getByRole("heading", { level: 2, name: new RegExp(`^${name}`) }).waitFor();
}
