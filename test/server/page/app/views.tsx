import type { ComponentChild } from "preact";
import { render } from "preact";
import { act } from "preact/test-utils";
import { onTestFinished, vi } from "vitest";
import {
  check,
  connection,
  feed,
  info,
  settings,
} from "../../../../src/server/page/app/connection.ts";
import { emptyFeed } from "../../../../src/server/page/app/feed.ts";

/** What the store of a shown view returns by path: a value, or an Error with its message as a 400. */
export type Answers = Record<string, unknown>;

/** Does something, and waits until its requests are answered and drawn. */
async function settled(action: () => void): Promise<void> {
  await act(action);
  for (let turn = 0; turn < 4; turn += 1)
    await act(() => new Promise<void>((resolve) => setTimeout(resolve)));
}

/** Shows a view of a live store in a window without a browser. */
export async function show(view: ComponentChild, answers: Answers = {}) {
  const sent: string[] = [];
  vi.stubGlobal("fetch", async (path: string, { body }: { body?: string } = {}) => {
    if (body !== undefined) sent.push(`${path} ${body}`);
    const answer = answers[path];
    if (answer === undefined) return Response.json({ message: "not there" }, { status: 404 });
    if (answer instanceof Error) return Response.json({ message: answer.message }, { status: 400 });
    return new Response(typeof answer === "string" ? answer : JSON.stringify(answer));
  });
  vi.stubGlobal("localStorage", { getItem: () => null });
  const baseUrl = "http://127.0.0.1:4010/v1";
  info.value = { store: "s", baseUrl, data: "memory", lab: true, profile: "local", run: "r" };
  feed.value = emptyFeed;
  check.value = undefined;
  connection.value = "live";
  settings.faults.value = { fault: "", latency: "0" };
  settings.clock.value = undefined;
  settings.script.value = undefined;
  const root = document.createElement("div");
  document.body.append(root);
  onTestFinished(async () => {
    await act(() => render(null, root));
    root.remove();
    vi.unstubAllGlobals();
  });
  await settled(() => render(view, root));
  const find = (selector: string, text = ""): HTMLElement => {
    const found = [...root.querySelectorAll<HTMLElement>(selector)].find((each) => {
      const label = each.closest("label")?.textContent;
      return `${each.textContent} ${each.getAttribute("aria-label")} ${label}`.includes(text);
    });
    if (found === undefined) throw new Error(`no ${selector} with ${JSON.stringify(text)}`);
    return found;
  };
  return {
    root,
    sent,
    find,
    text: () => (root.textContent ?? "").replace(/\s+/g, " "),
    click: (selector: string, text?: string) => settled(() => find(selector, text).click()),
    /** Types into a field and leaves it. */
    type: (label: string, value: string) =>
      settled(() => {
        const field = find("input", label);
        if (!(field instanceof HTMLInputElement)) throw new TypeError(`${label} is no field`);
        field.value = value;
        field.dispatchEvent(new Event("input", { bubbles: true }));
        field.dispatchEvent(new Event("change", { bubbles: true }));
      }),
    settled,
  };
}
