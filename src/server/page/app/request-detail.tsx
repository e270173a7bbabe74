import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { unlimited } from "../../../core/api.ts";
import { formatCount } from "../../../core/format.ts";
import { isTooDeep, tryParse } from "../../../core/json/parse.ts";
import type { StoreShapes } from "../../api/store-shapes.ts";
import { pageKeyId, type RequestEntry } from "../../request-log/types.ts";
import { getJson } from "./api.ts";
import { info } from "./connection.ts";
import { keyTitle, useProblem } from "./hooks.tsx";
import { Cut, formatClock, formatMs, Safe, Status } from "./parts.tsx";
import { curlCommand, petsCommand } from "./resend.ts";

/** All that is known about one request, fetched once, and the commands that send it again. */
export function RequestDetail({ id, onClose }: { id: string; onClose: () => void }) {
  const [entry, setEntry] = useState<RequestEntry>();
  const { problem, attempt } = useProblem();
  useEffect(() => {
    void attempt(async () => {
      const path = `/_store/requests/${encodeURIComponent(id)}`;
      setEntry(await getJson<RequestEntry>(path, {}, JSON.parse));
    });
  }, []);
  const box = useRef<HTMLElement>(null);
  useLayoutEffect(() => box.current?.focus(), [entry]);
  if (entry === undefined && !problem) return null;
  return (
    <article class="card" ref={box} tabIndex={-1} aria-label="Request">
      <header class="row apart">
        <h3 class="row grow">
          {entry && <Status status={entry.status} />}
          {entry && <Cut text={requestLine(entry)} />}
        </h3>
        <button onClick={onClose}>Close</button>
      </header>
      {problem}
      {entry && info.value && <Entry entry={entry} store={info.value} />}
    </article>
  );
}

function requestLine({ method, path }: RequestEntry): string {
  return `${method} ${path}`;
}

function Entry({ entry, store }: { entry: RequestEntry; store: StoreShapes["session"] }) {
  const { time, durationMs, keyId, remoteAddress, limits, fault, early } = entry;
  const storeTime = Date.parse(entry.responseHeaders["Date"] ?? "");
  // The header has whole seconds.
  const isMoved = Math.abs(storeTime - Date.parse(time) - durationMs) > 2_000;
  const facts = {
    Received: formatClock(Date.parse(time)),
    "Store's time": isMoved && formatClock(storeTime),
    Duration: formatMs(durationMs),
    From: remoteAddress,
    Key: keyId === pageKeyId ? "none (sent by this page)" : keyTitle(keyId),
    Limit:
      limits?.limit === unlimited
        ? "unlimited"
        : limits &&
          `${formatCount(limits.limit - limits.remaining)} of ${formatCount(limits.limit)} used`,
    Fault: fault,
    Sent: early && "before Retry-After elapsed",
  };
  const pets = petsCommand(entry, store);
  const curl = curlCommand(entry, store);
  return (
    <>
      <dl>
        {Object.entries(facts).map(
          ([name, value]) =>
            value && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <Safe text={value} />
                </dd>
              </div>
            ),
        )}
      </dl>
      <h4>Send it again</h4>
      {pets && <Copyable text={pets} name="the pets command" />}
      {curl && <Copyable text={curl} name="the curl command" />}
      {!pets && !curl && (
        <p class="note">The body was cut, so the request cannot be sent again from here.</p>
      )}
      <h4>Request</h4>
      <Message name="request" entry={entry} />
      <h4>Response</h4>
      <Message name="response" entry={entry} />
      {entry.truncated && <p class="note">Bodies are limited to 4 KiB.</p>}
    </>
  );
}

function Message({ name, entry }: { name: "request" | "response"; entry: RequestEntry }) {
  const body = formatJson(entry[`${name}Body`]);
  const headers = Object.entries(entry[`${name}Headers`]);
  const fields = headers.map(([field, value]) => `${field}: ${value}`);
  const lines = name === "request" ? [requestLine(entry), ...fields] : fields;
  return (
    <>
      <Copyable text={lines.join("\n")} name={`the ${name} headers`} />
      {body !== "" && <Copyable text={body} name={`the ${name} body`} />}
    </>
  );
}

/** The tokens of a JSON text; an object or array without elements is one. */
const jsonTokens = /"(?:\\.|[^"\\])*"|[{[]\s*[\]}]|[{}[\],:]|[^\s"{}[\],:]+/g;

/** Returns a JSON object or array with a line for each value, all of it as it was sent; any other text as it is. */
export function formatJson(text: string): string {
  if (!/^\s*[{[]/.test(text) || isTooDeep(text) || tryParse(text) === undefined) return text;
  let line = "\n";
  const parts = (text.match(jsonTokens) ?? []).map((token) => {
    if (token === "{" || token === "[") return token + (line += "  ");
    if (token === "}" || token === "]") return (line = line.slice(0, -2)) + token;
    if (token === ",") return token + line;
    return token === ":" ? ": " : token.replace(/^([{[])\s+/, "$1");
  });
  return parts.join("");
}

function Copyable({ text, name }: { text: string; name: string }) {
  const [title, setTitle] = useState("Copy");
  const copy = (): Promise<void> =>
    navigator.clipboard.writeText(text).then(
      () => setTitle("Copied"),
      () => setTitle("Select and copy"),
    );
  return (
    <div class="row">
      <pre class="grow" tabIndex={0} role="group" aria-label={name}>
        {text.split("\n").map((line) => [<Safe text={line} />, "\n"])}
      </pre>
      <button
        aria-label={`Copy ${name}`}
        onClick={() => void copy()}
        onBlur={() => setTitle("Copy")}
      >
        {title}
      </button>
    </div>
  );
}
