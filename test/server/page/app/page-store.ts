import { vi } from "vitest";

/** What `fetch` resolves to, or throws. */
export type Answer = (options: RequestInit) => Response;

/** Returns the session of the store with this id. */
export const session =
  (store: string): Answer =>
  () =>
    Response.json({ store, baseUrl: "http://127.0.0.1:80/v1", data: "memory", lab: false });
/** The response to a page without access. */
export const refused: Answer = () => new Response("{}", { status: 401 });
/** No response. */
export const down: Answer = () => {
  throw new TypeError("Failed to fetch");
};

/** A response whose body breaks off. */
export const broken = (): Response =>
  new Response(new ReadableStream({ start: (each) => each.error(new Error("gone")) }));

/** A stream of events that lasts until it is ended, or its request is aborted. */
export function stream() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const answer: Answer = ({ signal }) => {
    const body = new ReadableStream<Uint8Array>({ start: (each) => void (controller = each) });
    signal?.addEventListener("abort", () => controller?.error(signal.reason));
    return new Response(body);
  };
  const push = async (text: string): Promise<void> => {
    controller?.enqueue(Buffer.from(text));
    await vi.advanceTimersByTimeAsync(0);
  };
  return { answer, push, end: () => controller?.close() };
}

/** The event of a request. */
export const request = (id: string): string =>
  `event: request\nid: ${id}\ndata: ${JSON.stringify({ id, status: 200 })}\n\n`;
/** Any other event. */
export const event = (name: string, value: unknown): string =>
  `event: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
/** The faults of a store. */
export const faults: Answer = () => Response.json({ fault: "500:0.1", latency: "0" });

/**
 * Starts the page of a store with these replies in turn, the last one repeated; records its requests. Needs fake
 * timers, and modules that are reset.
 */
export async function open(answers: Readonly<Record<string, readonly Answer[]>>) {
  const asked: string[] = [];
  vi.stubGlobal("localStorage", { getItem: () => "s3cret" });
  const counts = new Map<string, number>();
  vi.stubGlobal("fetch", async (path: string, options: RequestInit) => {
    const last = new Headers(options.headers).get("Last-Event-ID");
    asked.push(last === null ? path : `${path} ${last}`);
    const count = counts.get(path) ?? 0;
    counts.set(path, count + 1);
    const all = answers[path] ?? [];
    return (all[count] ?? all.at(-1) ?? down)(options);
  });
  const page = await import("../../../../src/server/page/app/connection.ts");
  const states: string[] = [];
  page.connection.subscribe((state) => void (state === "connecting" || states.push(state)));
  const ended = page.connect(undefined);
  await vi.advanceTimersByTimeAsync(0);
  return { ...page, asked, states, ended };
}
