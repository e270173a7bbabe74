import path from "node:path";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { asker, openBrowser, openPage, showView } from "../support/browser/browser.ts";
import { browserAvailable, closeBrowser } from "../support/browser/chromium.ts";
import { cleanEnv, runPets, temporaryFolder } from "../support/program/program.ts";
import { serve } from "../support/servers/serve.ts";

afterAll(closeBrowser);

const rex = (name = "Rex") => ({ method: "POST", body: JSON.stringify({ name, categoryId: 7 }) });

const switchOf = (at: Page, name: string, checked: boolean): Promise<void> =>
  at.getByRole("switch", { name, checked }).waitFor();

/** Returns what axe finds on a page. */
async function findingsOf(page: Page): Promise<unknown> {
  await page.evaluate(axe.source);
  const found: { id: string; nodes: { html: string }[] }[] = await page.evaluate(
    "axe.run().then(({ violations }) => violations)",
  );
  return found.map(({ id, nodes }) => [id, nodes[0]?.html]);
}

describe.runIf(browserAvailable)("the page, in a browser", { timeout: 180_000 }, () => {
  it("shows the animals, their counts and each status, and adds one with the form", async () => {
    const { page, ask, errors, requests, served } = await openPage(["--memory", "--seed", "24"]);
    await page.getByRole("heading", { name: "Animals 24" }).waitFor();
    expect(await page.locator("tbody tr").count()).toBe(24);
    await page.getByRole("button", { name: /^sold/ }).click();
    await page.getByLabel("Name", { exact: true }).fill("Mia <b>&</b>");
    await page.getByLabel("Category", { exact: true }).fill("9223372036854775807");
    await page.getByRole("combobox", { name: /^Status/ }).selectOption("sold");
    await page.getByRole("button", { name: "Add animal" }).click();
    await page.getByText("Added with id 25.").waitFor();
    const first = page.locator("tbody tr").first();
    await first.getByText("Mia <b>&</b>").waitFor();
    expect(await first.innerText()).toMatch(/^25\s.*\s9223372036854775807\s+sold$/);
    await page.getByRole("heading", { name: "Animals 25" }).waitFor();
    const state = await (await ask("/_store/state")).json();
    expect(state).toMatchObject({ pets: 25, requests: {} });
    const entries = await (await ask("/_store/requests")).json();
    const [entry] = Object(entries);
    expect(entry).toMatchObject({ keyId: "page", method: "POST", status: 201 });
    expect(entry.limits.limit).toBe(2_147_483_647);
    const { origin } = new URL(served.ready.baseUrl);
    const elsewhere = requests.filter((url) => !url.startsWith(`${origin}/`));
    expect(elsewhere.filter((url) => !url.startsWith("data:"))).toEqual([]);
    expect(errors).toEqual([]);
  });

  it.each([
    ["with frames and timers that come late", "later(() => work(performance.now()), 300)", 300],
    ["in a hidden window without frames", "0", 0],
  ])("misses nothing %s", async (_what, frame, lateMs) => {
    const { ready } = await serve(["--memory", "--seed", "3"], cleanEnv());
    const { page, context } = await openBrowser();
    await context.addInitScript(`const later = setTimeout.bind(window);
      window.setTimeout = (work, ms = 0) => later(work, ms + ${lateMs});
      window.requestAnimationFrame = (work) => ${frame};`);
    await page.goto(ready.page ?? "");
    await page.getByText("live", { exact: true }).waitFor();
    await page.getByRole("heading", { name: "Animals 3" }).waitFor();
    expect(await page.locator("tbody tr").count()).toBe(3);
  });

  it("shows a complete request, and the commands that send it again", async () => {
    const { page, ask } = await openPage();
    await showView(page, "Requests");
    await ask("/v1/pets", rex("Rex's"));
    await ask("/v1/pets?limit=1", { headers: { "X-Pets-Fault": "500" } });
    // The list is on hold once a request is open.
    await page.getByText("fault 500").waitFor();
    await page.getByRole("link", { name: /POST/ }).press("Enter");
    const detail = page.getByRole("article");
    await detail.waitFor();
    const text = await detail.innerText();
    expect(text).toContain(`pets add --name 'Rex'\\''s' --category 7`);
    expect(text).toContain('"name": "Rex\'s",');
    expect(text).toContain("X-RateLimit-Remaining");
    expect(text).not.toMatch(/pets_\w{32}/);
    await page.keyboard.press("Escape");
    await detail.waitFor({ state: "detached" });
    expect(await page.locator(":focus").innerText()).toContain("POST");
    await page.getByRole("combobox", { name: /^Status/ }).selectOption("failed (5xx)");
    await expect.poll(() => page.locator(".request").count()).toBe(1);
    await page.getByText("fault 500").waitFor();
    await page.getByLabel("Method or path").fill("nothing like this");
    await page.getByText("No matching requests").waitFor();
  });

  it("switches faults in two windows beside the command, and resets the store", async () => {
    const { page, context, ask, served } = await openPage();
    await ask("/v1/pets", rex());
    const other = await context.newPage();
    await other.goto(`${new URL(page.url()).origin}/#faults`);
    await showView(page, "Faults");
    await page.getByLabel("500: %").fill("100");
    await page.getByLabel("500: %").press("Enter");
    await switchOf(page, "500", true);
    await switchOf(other, "500", true);
    expect((await ask("/v1/pets")).status).toBe(500);
    await other.getByRole("switch", { name: "hang" }).click();
    await other.getByText("from 0 to 0, as the other faults take 100%").waitFor();
    await page.getByRole("switch", { name: "500" }).press("Space");
    await switchOf(other, "500", false);
    await other.getByRole("switch", { name: "hang" }).click();
    await switchOf(page, "hang", true);
    const env = { ...cleanEnv(), PETS_BASE_URL: served.ready.baseUrl };
    await runPets(["store", "faults", "reset:0.5"], {
      env: { ...env, PETS_API_KEY: served.ready.apiKey },
    });
    await switchOf(page, "reset", true);
    await switchOf(page, "hang", false);
    await page.getByRole("switch", { name: "latency" }).click();
    await switchOf(other, "latency", true);
    await switchOf(other, "reset", true);
    const asked = page.waitForEvent("dialog");
    const clicked = page.getByRole("button", { name: "Reset…" }).click();
    const dialog = await asked;
    expect(dialog.message()).toContain("4 animals will be deleted");
    await dialog.accept();
    await clicked;
    await expect
      .poll(async () => (await ask("/_store/state")).json())
      .toMatchObject({ pets: 3, requests: {} });
    await showView(page, "Requests");
    await page.getByText("No requests yet").waitFor();
    await page.getByText("live", { exact: true }).waitFor();
  });

  it("moves the store's clock on, also past a wait, and follows a script", async () => {
    const { page, ask } = await openPage(["--memory", "--plan", "1/min,9/day"]);
    await ask("/v1/pets");
    expect((await ask("/v1/pets")).status).toBe(429);
    await showView(page, "Limits");
    await page.getByText(/^Rate limited for \d+ s$/).waitFor();
    await showView(page, "Faults");
    const move = page.getByLabel("Move on");
    await move.fill("2020-01-01T00:00:00Z");
    await move.press("Enter");
    await page.getByText("never set back").waitFor();
    await page.getByRole("switch", { name: "Frozen" }).click();
    await page.getByRole("switch", { name: "Frozen", checked: true }).waitFor();
    await move.fill("+1d");
    await page.getByRole("button", { name: "Move" }).click();
    await expect.poll(() => move.inputValue()).toBe("");
    expect((await ask("/v1/pets")).status).toBe(200);
    await page.getByLabel("Steps").fill('{"on":"GET /pets","do":5}');
    await page.getByRole("button", { name: "Use script" }).click();
    await page.getByText("line 1: do must be").waitFor();
    await page.getByLabel("Steps").fill('{"on":"GET /pets","do":503,"times":2}');
    await page.getByRole("button", { name: "Use script" }).click();
    await page.getByText("taken 0 of 2").waitFor();
    await move.fill("+61s");
    await move.press("Enter");
    await expect.poll(async () => (await ask("/v1/pets")).status).toBe(503);
    await page.getByText("taken 1 of 2").waitFor();
    await page.getByRole("button", { name: "Turn off" }).click();
    await page.getByText("No steps.").waitFor();
  });

  it("shows a file's store after a reload and a restart", async () => {
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
    const again = await serve(["--data", data, "--port", port], cleanEnv());
    await page.getByText("live", { exact: true }).waitFor();
    await asker(again.ready)("/v1/pets", rex("After the restart"));
    await page.getByRole("cell", { name: "After the restart" }).waitFor();
  });

  it("says so if another store answers", async () => {
    const { page, served } = await openPage();
    served.child.kill("SIGTERM");
    await served.ended;
    const { port } = new URL(served.ready.baseUrl);
    await serve(["--memory", "--port", port], cleanEnv());
    const told = page.getByText("Another store runs at this address now");
    await told.waitFor();
    expect(await page.getByText("pets store page").isVisible()).toBe(true);
  });

  it("needs a link, which works once, in each browser; `pets store page` prints another", async () => {
    const { ready } = await serve(["--memory", "--plan", "enterprise"], cleanEnv());
    const link = ready.page ?? "";
    const { page } = await openBrowser();
    await page.goto(link);
    await page.getByText("live", { exact: true }).waitFor();
    const second = await openBrowser();
    await second.page.goto(link);
    await second.page.getByText("This page needs a link").waitFor();
    const env = { ...cleanEnv(), PETS_BASE_URL: ready.baseUrl, PETS_API_KEY: ready.apiKey };
    const { stdout } = await runPets(["store", "page"], { env });
    // In the same window, a link differs in its fragment only.
    await second.page.goto(stdout.trim());
    await second.page.getByText("live", { exact: true }).waitFor();
    expect(await second.page.getByText("This page needs a link").count()).toBe(0);
    const again = await runPets(["store", "page"], { env });
    const third = await second.context.newPage();
    await third.goto(again.stdout.trim());
    await third.getByText("live", { exact: true }).waitFor();
    await showView(second.page, "Limits");
    await second.page.getByText("unlimited").first().waitFor();
  });

  it("shows hostile names and paths as text, with invisible characters made visible", async () => {
    const { page, ask, errors } = await openPage();
    const name = '<img src=x onerror=alert(1)>\u202e\u0007"</script>';
    await ask("/v1/pets", rex(name));
    const cell = page.getByRole("cell", { name: "onerror" });
    await cell.waitFor();
    expect(await cell.innerText()).toBe('<img src=x onerror=alert(1)>\\u202e\\x07"</script>');
    await showView(page, "Requests");
    await page.getByRole("link", { name: /POST/ }).click();
    await page.getByRole("article").waitFor();
    expect(await page.locator("main img").count()).toBe(0);
    expect(errors).toEqual([]);
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
    await page.getByLabel("429: %").fill("101");
    await page.getByLabel("429: %").press("Enter");
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
      reducedMotion: "reduce",
    });
    await ask("/v1/pets?limit=100&status=available");
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
