// Makes the picture of the page again, from a real store in a real browser.
import path from "node:path";
import { asker, openContext, withStore } from "../support/browser/chromium.ts";

await withStore(["--seed", "83", "--plan", "pro"], async (ready) => {
  const viewport = { width: 1_000, height: 900 };
  const context = await openContext({ viewport, colorScheme: "dark" });
  const page = await context.newPage();
  await page.goto(ready.page);
  await page.getByText("live", { exact: true }).waitFor();
  await page.getByRole("navigation").getByRole("link", { name: "Requests" }).click();
  for (let second = 0; second < 12; second += 1) {
    await sendSome(asker(ready), second);
    await page.waitForTimeout(1_000);
  }
  await page.locator(".request", { hasText: "POST" }).click();
  await page.getByRole("article").waitFor();
  await page.evaluate("scrollTo(0, 0)");
  await page.mouse.move(0, 0);
  await page.screenshot({ path: path.join(import.meta.dirname, "page-request.png") });
});

/** The requests of one second, with trouble among them. */
async function sendSome(ask: ReturnType<typeof asker>, second: number): Promise<void> {
  const fail = (target: string, fault: string): Promise<unknown> =>
    ask(target, { headers: { "X-Pets-Fault": fault } }).catch(() => undefined);
  for (let count = 0; count < 3 + ((second * 5) % 7); count += 1)
    await ask(`/v1/pets?limit=${10 + count}`);
  if (second % 4 === 1) await fail("/v1/pets?status=available", "429");
  if (second % 5 === 3) await fail("/v1/pets", "500");
  if (second === 8) await fail("/v1/pets", "reset");
  if (second === 10) {
    const headers = { "Content-Type": "application/json" };
    await ask("/v1/pets", { method: "POST", body: '{"name":"Biscuit","categoryId":3}', headers });
  }
  await ask(second % 3 === 0 ? "/v1/pets/999" : `/v1/pets/${second + 1}`);
}
