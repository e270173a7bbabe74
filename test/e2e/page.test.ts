import path from "node:path";
import axe from "axe-core";
import type {
  BrowserContext,
  BrowserContextOptions,
  Locator,
  Page,
  Request,
} from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { asker, browserAvailable, closeBrowser, openContext } from "../support/browser/chromium.ts";
import { cleanEnv, runPets, temporaryFolder } from "../support/program/program.ts";
import { whenFinished } from "../support/program/when-finished.ts";
import { type Ready, serve } from "../support/servers/serve.ts";

afterAll(closeBrowser);

/** A window with an empty profile in the browser of this file, and the errors in it. */
async function openBrowser(options: BrowserContextOptions = {}) {
  const context = await openContext(options);
  whenFinished(() => context.close());
  const page = await context.newPage();
  context.setDefaultTimeout(60_000);
  const errors: string[] = [];
  const requests: string[] = [];
  page.on("pageerror", ({ message }) => errors.push(message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  page.on("request", (request) => requests.push(request.url()));
  return { context, page, errors, requests };
}

/** Starts a store with these arguments, and opens its page; `ask` sends a request with its key. */
async function openPage(
  words: readonly string[] = ["--memory", "--seed", "3"],
  options: BrowserContextOptions = {},
) {
  const served = await serve(words);
  const browser = await openBrowser(options);
  await openLink(browser.page, served.ready.page);
  return { ...browser, served, ask: asker(served.ready) };
}

/** Opens a link to the page of a store, and waits until it is live. */
async function openLink(page: Page, link = ""): Promise<void> {
  await page.goto(link);
  await page.getByText("live", { exact: true }).waitFor();
}

/** Opens a view of the page by its name. */
async function showView(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name }).click();
  await page.getByRole("heading", { level: 2, name: new RegExp(`^${name}`) }).waitFor();
}

const rex = (name = "Rex") => ({ method: "POST", body: JSON.stringify({ name, categoryId: 7 }) });

const switchOf = (at: Page, name: string, checked: boolean): Promise<void> =>
  at.getByRole("switch", { name, checked }).waitFor();

/** Types a text into a field, and presses Enter. */
async function enter(field: Locator, text: string): Promise<void> {
  await field.fill(text);
  await field.press("Enter");
}

/** Runs `pets store …` for a store. */
const runStore = ({ baseUrl, apiKey }: Ready, ...words: string[]) =>
  runPets(["store", ...words], {
    env: { ...cleanEnv(), PETS_BASE_URL: baseUrl, PETS_API_KEY: apiKey },
  });

/** Returns what axe finds on a page. */
async function findingsOf(page: Page): Promise<unknown> {
  await page.evaluate(axe.source);
  const found = "violations.map(({ id, nodes }) => [id, nodes[0]?.html])";
  return page.evaluate(`axe.run().then(({ violations }) => ${found})`);
}

/** Returns a function that returns in which of some tabs a stream of events is open. */
function streamsOf(context: BrowserContext, tabs: readonly Page[]): () => readonly Page[] {
  const open = new Set<Request>();
  context.on("request", (request) => {
    if (request.url().endsWith("/_store/events")) open.add(request);
  });
  context.on("requestfinished", (request) => open.delete(request));
  context.on("requestfailed", (request) => open.delete(request));
  return () => tabs.filter((tab) => [...open].some((request) => request.frame().page() === tab));
}

/** Hides a tab, or shows it: a headless browser shows all. */
async function setHidden(tab: Page | undefined, hidden: boolean): Promise<void> {
  await tab?.evaluate(`Object.defineProperty(document, "hidden", { value: ${hidden}, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"))`);
}

describe.runIf(browserAvailable).concurrent("the page, in a browser", { timeout: 180_000 }, () => {
  it("shows the animals, their counts and each status, and adds one with the form", async () => {
    const { page, ask, errors, requests, served } = await openPage(["--memory", "--seed", "24"]);
    await page.getByRole("heading", { name: "Animals 24" }).waitFor();
    expect(await page.locator("tbody tr").count()).toBe(24);
    await page.getByRole("button", { name: /^sold/ }).click();
    const name = page.getByLabel("Name", { exact: true });
    await name.fill(" ");
    await enter(page.getByLabel("Category", { exact: true }), "9223372036854775807");
    await page.getByText("Enter a name.").waitFor();
    await name.fill("Mia <b>&</b>");
    await page.getByRole("combobox", { name: /^Status/ }).selectOption("sold");
    await page.getByRole("button", { name: "Add animal" }).click();
    await page.getByText("Added with id 25.").waitFor();
    const first = page.locator("tbody tr").first();
    await first.getByText("Mia <b>&</b>").waitFor();
    expect(await first.innerText()).toMatch(/^25\s.*\s9223372036854775807\s+sold$/);
    await page.getByRole("heading", { name: "Animals 25" }).waitFor();
    const state = await (await ask("/_store/state")).json();
    expect(state).toMatchObject({ pets: 25, requests: {} });
    const { origin } = new URL(served.ready.baseUrl);
    const elsewhere = requests.filter((url) => !url.startsWith(`${origin}/`));
    expect(elsewhere.filter((url) => !url.startsWith("data:"))).toEqual([]);
    expect(errors).toEqual([]);
  });

  it.each([
    ["with frames and timers that come late", "later(() => work(performance.now()), 300)", 300],
    ["in a hidden window without frames", "0", 0],
  ])("misses nothing %s", async (_what, frame, lateMs) => {
    const { ready } = await serve(["--memory", "--seed", "3"]);
    const { page, context } = await openBrowser();
    await context.addInitScript(`const later = setTimeout.bind(window);
      window.setTimeout = (work, ms = 0) => later(work, ms + ${lateMs});
      window.requestAnimationFrame = (work) => ${frame};`);
    await openLink(page, ready.page);
    await page.getByRole("heading", { name: "Animals 3" }).waitFor();
    expect(await page.locator("tbody tr").count()).toBe(3);
  });

  it("keeps its columns in place at any width, and shows each number whole", async () => {
    const { page, ask, served } = await openPage(["--memory"]);
    /** Returns where the cells of each row are, at three widths. */
    const places = async (row: string): Promise<readonly (readonly string[])[]> => {
      const found: string[][] = [];
      for (const width of [1_280, 800, 400]) {
        await page.setViewportSize({ width, height: 700 });
        found.push(
          await page.evaluate(`[...document.querySelectorAll("${row}")].map((each) =>
            [...each.children].map((cell) => cell.getBoundingClientRect().left).join())`),
        );
      }
      return found;
    };
    await ask("/v1/pets", rex());
    await page.getByRole("cell", { name: "Rex" }).waitFor();
    const before = await places("tr");
    const body = `{"name":"${"long ".repeat(99)}","categoryId":-9223372036854775808,"status":"available"}`;
    await ask("/v1/pets", { method: "POST", body });
    await page.getByRole("cell", { name: "-9223372036854775808" }).waitFor();
    expect(await places("tr")).toEqual(before.map(([head, row]) => [head, row, row]));
    const cut = "({ scrollWidth, clientWidth }) => scrollWidth > clientWidth";
    const areCut = `[...document.querySelectorAll("tbody td")].map(${cut})`;
    expect(await page.evaluate(areCut)).not.toContain(true);
    await showView(page, "Requests");
    for (const target of ["/v1/pets", `/v1/pets?${"a".repeat(200)}`, "/v1/pets/1"])
      await ask(target, { method: "OPTIONS", headers: { "X-Pets-Fault": "429" } });
    await fetch(new URL("/v1/pets/1", served.ready.baseUrl));
    await page.locator(".request", { hasText: "no valid key" }).waitFor();
    for (const rows of await places(".request"))
      expect([rows.length, new Set(rows).size]).toEqual([6, 1]);
    expect(await page.getByRole("heading", { name: "Check" }).count()).toBe(0);
  });

  it("shows what the check has found as requests arrive, if the store judges", async (test) => {
    const words = ["serve", "--json", "--detach", "--check", "--port", "0", "--memory"];
    const { stdout } = await runPets(words, { env: cleanEnv() });
    const ready: Ready = JSON.parse(stdout);
    whenFinished(() => void process.kill(ready.pid, "SIGKILL"));
    const { page } = await openBrowser();
    await openLink(page, ready.page);
    await showView(page, "Requests");
    await page.getByText("nothing found so far").waitFor();
    const ask = asker(ready);
    const script = '{"on":"POST /pets","do":500,"kept":true}';
    await ask("/_store/script", { method: "POST", body: script });
    for (const status of [500, 201]) expect((await ask("/v1/pets", rex())).status).toBe(status);
    await page.getByText('"Rex" (ids 1, 2)').waitFor();
    const early = page.getByText("sent before Retry-After elapsed");
    const retry = async (): Promise<boolean> => {
      await ask("/v1/pets", { headers: { "X-Pets-Fault": "429" } });
      return early.isVisible();
    };
    await test.expect.poll(retry, { timeout: 60_000 }).toBe(true);
    await runStore(ready, "reset");
    await page.getByText("nothing found so far").waitFor();
  });

  it("shows hostile names as text, and a complete request with commands that send it again", async (test) => {
    const plan = "123456789/86399s,1234567890/day";
    const { page, ask, errors } = await openPage(["--memory", "--plan", plan], {
      viewport: { width: 1_200, height: 800 },
    });
    await ask("/v1/pets", rex(`<img src=x onerror=alert(1)>\u202e\u0007"</script>'s`));
    const cell = page.getByRole("cell", { name: "onerror" });
    await cell.waitFor();
    expect(await cell.innerText()).toBe(`<img src=x onerror=alert(1)>\\u202e\\x07"</script>'s`);
    await showView(page, "Requests");
    await ask("/v1/pets?limit=1", { headers: { "X-Pets-Fault": "500" } });
    // The list is on hold once a request is open.
    await page.getByText("fault 500").waitFor();
    const key = page.locator(".request .key", { hasText: plan }).first();
    expect(await key.innerText()).toMatch(/ [0-9a-f]{16}$/);
    const cut = "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)";
    expect(await page.evaluate(`${cut}(document.querySelector(".key"))`)).toBe(0);
    await page.getByRole("link", { name: /POST/ }).press("Enter");
    const detail = page.getByRole("article");
    await detail.waitFor();
    const text = await detail.innerText();
    expect(text).toContain(`pets add --name $'<img src=x onerror=alert(1)>`);
    expect(text).toContain('"name": "<img src=x onerror=alert(1)>\\u202e');
    expect(text).toContain("X-RateLimit-Remaining");
    expect(text).not.toMatch(/pets_\w{32}/);
    expect(await page.locator("main img").count()).toBe(0);
    await page.keyboard.press("Escape");
    await detail.waitFor({ state: "detached" });
    expect(await page.locator(":focus").innerText()).toContain("POST");
    await page.getByRole("combobox", { name: /^Status/ }).selectOption("failed (5xx)");
    await test.expect.poll(() => page.locator(".request").count()).toBe(1);
    await page.getByText("fault 500").waitFor();
    await page.getByLabel("Method or path").fill("nothing like this");
    await page.getByText("No matching requests").waitFor();
    expect(errors).toEqual([]);
  });

  it("switches faults in two windows beside the command, and resets the store", async (test) => {
    const { page, context, ask, served } = await openPage();
    await ask("/v1/pets", rex());
    const other = await context.newPage();
    await other.goto(`${new URL(page.url()).origin}/#faults`);
    await showView(page, "Faults");
    await enter(page.getByLabel("500: %"), "100");
    await page.getByRole("switch", { name: "500" }).click();
    await switchOf(page, "500", true);
    await switchOf(other, "500", true);
    expect((await ask("/v1/pets")).status).toBe(500);
    await other.getByRole("switch", { name: "hang" }).click();
    await other.getByText("from 0 to 0, as the other faults take 100%").waitFor();
    await page.getByRole("switch", { name: "500" }).press("Space");
    await switchOf(other, "500", false);
    await other.getByRole("switch", { name: "hang" }).click();
    await switchOf(page, "hang", true);
    await runStore(served.ready, "faults", "reset:0.5");
    await switchOf(page, "reset", true);
    await switchOf(page, "hang", false);
    await page.getByRole("switch", { name: "latency" }).click();
    await switchOf(other, "latency", true);
    await switchOf(other, "reset", true);
    const asked = page.waitForEvent("dialog");
    const clicked = page.getByRole("button", { name: "Reset…" }).click();
    const dialog = await asked;
    expect(dialog.message()).toBe("4 animals will be deleted. This cannot be undone.");
    await dialog.accept();
    await clicked;
    await test.expect
      .poll(async () => (await ask("/_store/state")).json())
      .toMatchObject({ pets: 3, requests: {} });
    await showView(page, "Requests");
    await page.getByText("No requests yet").waitFor();
    await page.getByText("live", { exact: true }).waitFor();
  });

  it("moves the store's clock on, also past a wait, and follows a script", async (test) => {
    const { page, ask } = await openPage(["--memory", "--plan", "1/h,9/day"]);
    await ask("/v1/pets");
    expect((await ask("/v1/pets")).status).toBe(429);
    await showView(page, "Limits");
    await page.getByText(/^Rate limited for \d/).waitFor();
    await showView(page, "Faults");
    const move = page.getByLabel("Move to");
    await enter(move, "2020-01-01T00:00:00Z");
    await page.getByText("never set back").waitFor();
    await page.getByRole("switch", { name: "Frozen" }).click();
    await switchOf(page, "Frozen", true);
    await move.fill("+1d");
    await page.getByRole("button", { name: "Move" }).click();
    await test.expect.poll(() => move.inputValue()).toBe("");
    expect((await ask("/v1/pets")).status).toBe(200);
    const steps = page.getByLabel("Steps");
    await steps.fill('{"on":"GET /pets","do":5}');
    await page.getByRole("button", { name: "Use script" }).click();
    await page.getByText("line 1: do must be").waitFor();
    expect(await steps.inputValue()).toBe('{"on":"GET /pets","do":5}');
    await steps.fill('{"on":"GET /pets","do":503,"times":2}');
    await page.getByRole("button", { name: "Use script" }).click();
    await page.getByText("taken 0 of 2").waitFor();
    await enter(move, "+61m");
    await test.expect.poll(async () => (await ask("/v1/pets")).status).toBe(503);
    await page.getByText("taken 1 of 2").waitFor();
    await page.getByRole("button", { name: "Turn off" }).click();
    await page.getByText("No steps.").waitFor();
  });

  it("shows a file's store after a reload and a restart, and says so if another store answers", async () => {
    const data = path.join(temporaryFolder(), "store.db");
    const { page, context, served } = await openPage(["--data", data, "--seed", "3"]);
    expect(page.url()).not.toMatch(/#[\w-]{32}/);
    // A browser sends cookies to every port of a host; local storage stays with the origin.
    expect(await context.cookies()).toEqual([]);
    expect(await page.evaluate("localStorage.getItem('pets-page')")).toMatch(/^[\w-]{32,}$/);
    await page.reload();
    await page.getByRole("heading", { name: "Animals 3" }).waitFor();
    served.child.kill("SIGTERM");
    expect(await served.ended).toBe(0);
    await page.getByText("The store is unreachable").waitFor();
    const { port } = new URL(served.ready.baseUrl);
    const again = await serve(["--data", data, "--port", port]);
    await page.getByText("live", { exact: true }).waitFor();
    await asker(again.ready)("/v1/pets", rex("After the restart"));
    await page.getByRole("cell", { name: "After the restart" }).waitFor();
    again.child.kill("SIGTERM");
    await again.ended;
    await serve(["--memory", "--port", port]);
    await page.getByText("Another store runs at this address now").waitFor();
    expect(await page.getByText("pets store page").isVisible()).toBe(true);
  });

  it("has one stream in eight tabs, and none while all are hidden", async (test) => {
    const words = ["--data", path.join(temporaryFolder(), "store.db"), "--lab", "--seed", "3"];
    const { page, context, ask, served } = await openPage(words);
    const { origin, port } = new URL(served.ready.baseUrl);
    const others = Array.from({ length: 7 }, () => context.newPage());
    const tabs = [page, ...(await Promise.all(others))];
    const streams = streamsOf(context, tabs);
    const all = (action: (tab: Page) => Promise<unknown>) => Promise.all(tabs.map(action));
    await page.goto("about:blank");
    await all((tab) => tab.goto(`${origin}/#requests`));
    /** Every tab shows a request that comes now, and only one of them has a stream. */
    const isShared = async (target: string, asking = ask): Promise<void> => {
      await all((tab) => tab.getByText("live", { exact: true }).waitFor());
      await asking(target);
      await all((tab) => tab.locator(".request", { hasText: target }).first().waitFor());
      expect([target, streams().length]).toEqual([target, 1]);
    };
    await isShared("/v1/pets?limit=1");
    const leader = streams()[0];
    tabs.splice(
      tabs.findIndex((tab) => tab === leader),
      1,
    );
    await leader?.close();
    await isShared("/v1/pets?limit=2");
    const second = streams()[0];
    await setHidden(second, true);
    await test.expect.poll(() => streams().filter((tab) => tab !== second).length).toBe(1);
    await setHidden(second, false);
    await isShared("/v1/pets?limit=3");
    await all((tab) => setHidden(tab, true));
    await test.expect.poll(() => streams()).toEqual([]);
    await ask("/v1/pets?limit=4");
    await setHidden(tabs[0], false);
    await tabs[0]?.locator(".request", { hasText: "limit=4" }).waitFor();
    expect(await tabs[1]?.locator(".request", { hasText: "limit=4" }).count()).toBe(0);
    await all((tab) => setHidden(tab, false));
    await isShared("/v1/pets?limit=5");
    await all(async (tab) => {
      await showView(tab, "Animals");
      await tab.getByLabel("Name", { exact: true }).fill("Rex");
      await enter(tab.getByLabel("Category", { exact: true }), "1");
      await tab.getByText("Added with id").waitFor();
      await showView(tab, "Requests");
    });
    served.child.kill("SIGTERM");
    await served.ended;
    await all((tab) => tab.getByText("The store is unreachable").waitFor());
    const again = await serve([...words, "--port", port]);
    await isShared("/v1/pets?limit=6", asker(again.ready));
    await runStore(again.ready, "reset");
    await all((tab) => tab.getByText("No requests yet").waitFor());
    await isShared("/v1/pets?limit=7", asker(again.ready));
    again.child.kill("SIGTERM");
    await again.ended;
    const other = await serve(["--memory", "--port", port]);
    await all((tab) => tab.getByText("Another store runs at this address now").waitFor());
    // A link to that store opens it in a new tab, and leaves the others what they show.
    const newest = await context.newPage();
    await openLink(newest, other.ready.page);
    await all((tab) => tab.getByText("This data is from the previous store").waitFor());
    expect(streams()).toEqual([]);
  });

  it("needs a link, which works once, in each browser; `pets store page` prints another", async () => {
    const { served, page } = await openPage(["--memory", "--plan", "enterprise"]);
    const stranger = await openBrowser();
    await stranger.page.goto(served.ready.page ?? "");
    await stranger.page.getByText("This page needs a link").waitFor();
    // In the same window, a link differs in its fragment only.
    await openLink(stranger.page, (await runStore(served.ready, "page")).stdout.trim());
    expect(await stranger.page.getByText("This page needs a link").count()).toBe(0);
    const third = await stranger.context.newPage();
    await openLink(third, (await runStore(served.ready, "page")).stdout.trim());
    for (const each of [stranger.page, page]) {
      await showView(each, "Limits");
      await each.getByText("unlimited").first().waitFor();
    }
  });

  it.each(["light", "dark"] as const)("has no finding of axe in %s", async (colorScheme) => {
    const { page, ask } = await openPage(["--memory", "--seed", "5"], { colorScheme });
    for (const fault of ["", "500", "429", "reset"])
      await ask("/v1/pets", { headers: { "X-Pets-Fault": fault } }).catch(() => {});
    for (const view of ["Animals", "Requests", "Limits", "Faults"]) {
      await showView(page, view);
      if (view === "Requests") {
        await page.locator(".request").first().click();
        await page.getByRole("article").waitFor();
      }
      expect([view, await findingsOf(page)]).toEqual([view, []]);
    }
    await enter(page.getByLabel("429: %"), "101");
    await page.getByRole("alert").waitFor();
    expect(await findingsOf(page)).toEqual([]);
    const { page: stranger } = await openBrowser({ colorScheme });
    await stranger.goto(page.url());
    await stranger.getByText("This page needs a link").waitFor();
    expect(await findingsOf(stranger)).toEqual([]);
  });

  it("fits into 360 pixels, and can be used with only the keyboard", async () => {
    const { page, ask } = await openPage(["--memory", "--seed", "3"], {
      viewport: { width: 360, height: 700 },
    });
    await ask("/v1/pets?limit=100&status=available");
    await ask("/v1/pets", rex("An animal".repeat(99)));
    for (const view of ["Requests", "Limits", "Faults", "Animals"]) {
      await page.getByRole("navigation").getByRole("link", { name: view }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 2, name: new RegExp(`^${view}`) }).waitFor();
      expect(await page.locator("nav [aria-current]").allInnerTexts()).toEqual([view]);
      if (view === "Requests") {
        await page.locator(".request").first().press("Enter");
        await page.getByRole("article").waitFor();
      }
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
    }
    await page.getByLabel("Name", { exact: true }).focus();
    await page.keyboard.type("Typed");
    await page.keyboard.press("Tab");
    await page.keyboard.type("5");
    await page.keyboard.press("Enter");
    await page.getByRole("cell", { name: "Typed" }).waitFor();
  });
});
