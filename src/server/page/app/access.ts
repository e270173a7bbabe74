/** The name under which the secret is kept, and asked for among the windows of this origin. */
const name = "pets-page";
/** How long other windows have to tell their secret, in ms. */
const patienceMs = 300;

let secret = "";

/** Returns what each request of the page has beside its cookie; empty without access. */
export function pageSecret(): string {
  return secret;
}

/** Keeps the secret for this window, and until it is closed: other ports of the host can't read it. */
export function keepSecret(value: string): void {
  secret = value;
  sessionStorage.setItem(name, value);
}

/** Takes the secret that this window kept, or else that of another window with this page. */
export async function restoreSecret(): Promise<void> {
  secret = sessionStorage.getItem(name) ?? "";
  if (secret !== "") return;
  const channel = new BroadcastChannel(name);
  await new Promise<void>((resolve) => {
    channel.addEventListener("message", ({ data }) => {
      if (typeof Object(data).secret !== "string") return;
      keepSecret(Object(data).secret);
      resolve();
    });
    setTimeout(resolve, patienceMs);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin.
    channel.postMessage({ ask: true });
  });
  channel.close();
}

/** Tells the secret to other windows with this page that ask for it: only this origin can. */
export function shareSecret(): void {
  const channel = new BroadcastChannel(name);
  channel.addEventListener("message", ({ data }) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin.
    if (Object(data).ask === true && secret !== "") channel.postMessage({ secret });
  });
}
