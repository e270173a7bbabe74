import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatCount, formatTimeOfDay } from "../../../core/format.ts";
import { isTooDeep } from "../../../core/json/parse.ts";
import { stringifyExact } from "../../../core/json/stringify.ts";
import { pageKeyId, type RequestEntry } from "../../request-log/types.ts";
import { getJson, readJson } from "./api.ts";
import { info, storeId } from "./connection.ts";
import { keyTitle, useProblem } from "./hooks.tsx";
import { CopyButton, formatMs, LongText, Safe, Status } from "./parts.tsx";
import { curlCommand, petsCommand } from "./resend.ts";

/** All that is known about one request, and the commands that send it again. */
export function RequestDetail({ id, onClose }: { id: string; onClose: () => void }) {
  const { entry, problem } = useEntry(id);
  const title = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => title.current?.focus(), [entry]);
  if (entry === undefined && !problem) return null;
  return (
    <article class="card detail" aria-labelledby="detail-title">
      <header class="row apart">
        <h3 id="detail-title" ref={title} tabIndex={-1}>
          {entry === undefined ? (
            "Request"
          ) : (
            <>
              <Status status={entry.status} /> <LongText text={`${entry.method} ${entry.path}`} />
            </>
          )}
        </h3>
        <button onClick={onClose}>Close</button>
      </header>
      {problem}
      {entry && <Entry entry={entry} />}
    </article>
  );
}

/** Returns the entry `id` once it is fetched. */
function useEntry(id: string) {
  const [entry, setEntry] = useState<RequestEntry>();
  const { problem, attempt } = useProblem();
  const store = storeId.value;
  useEffect(() => {
    let isCurrent = true;
    setEntry(undefined);
    void attempt(async () => {
      const loaded = await getJson(`/_store/requests/${encodeURIComponent(id)}`, JSON.parse);
      if (isCurrent) setEntry(Object(loaded));
    });
    return () => void (isCurrent = false);
  }, [id, store]);
  return { entry, problem };
}

function Entry({ entry }: { entry: RequestEntry }) {
  const { id, requestHeaders, requestBody, responseHeaders, responseBody, truncated } = entry;
  return (
    <>
      <dl class="facts">
        {factsOf(entry).map(
          ([name, value]) =>
            value !== null && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <Safe text={value} />
                </dd>
              </div>
            ),
        )}
      </dl>
      <p class="note">
        <a href={`#requests/${id}`}>Link to this request</a>
      </p>
      <Resend entry={entry} />
      <Message title="Request" headers={requestHeaders} text={requestBody} />
      <Message title="Response" headers={responseHeaders} text={responseBody} />
      {truncated && <p class="note">Bodies are limited to 4 KiB.</p>}
    </>
  );
}

function factsOf(entry: RequestEntry): readonly (readonly [name: string, value: string | null])[] {
  const { time, durationMs, keyId, remoteAddress, limits, fault, early } = entry;
  return [
    ["Received", formatTimeOfDay(Date.parse(time))],
    ["Duration", formatMs(durationMs)],
    ["From", remoteAddress],
    ["Key", keyId === pageKeyId ? "none (sent by this page)" : keyTitle(keyId)],
    ["Limit", limitText(limits)],
    ["Fault", fault],
    ["Early", early ? "before Retry-After elapsed" : null],
  ];
}

/** What the headers say where there is no limit. */
const unlimited = 2_147_483_647;

function limitText(limits: RequestEntry["limits"]): string | null {
  if (limits === null) return null;
  if (limits.limit === unlimited) return "unlimited";
  return `${formatCount(limits.remaining)} of ${formatCount(limits.limit)} left`;
}

function Resend({ entry }: { entry: RequestEntry }) {
  const store = info.value;
  if (store === undefined) return null;
  const commands = [
    ["pets", petsCommand(entry, store)],
    ["curl", curlCommand(entry, store)],
  ] as const;
  return (
    <section>
      <h4>Send it again</h4>
      {commands.every(([, text]) => text === undefined) && (
        <p class="note">The body was cut, so the request cannot be sent again from here.</p>
      )}
      {commands.map(
        ([name, text]) =>
          text !== undefined && (
            <div key={name} class="row command">
              <code class="grow" tabIndex={0}>
                <Safe text={text} />
              </code>
              <CopyButton text={text} what={`the ${name} command`} />
            </div>
          ),
      )}
    </section>
  );
}

interface MessageProps {
  readonly title: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

function Message({ title, headers, text }: MessageProps) {
  const body = formatJson(text);
  return (
    <section>
      <h4>{title}</h4>
      <div class="raw" tabIndex={0} role="group" aria-label={`${title} headers and body`}>
        {Object.entries(headers).map(([name, value]) => (
          <div key={name}>
            <span class="note">
              <Safe text={name} />:
            </span>{" "}
            <Safe text={value} />
          </div>
        ))}
        {body !== "" && (
          <div class="body">
            {body.split("\n").map((line, at) => (
              <div key={at}>
                <Safe text={line || " "} />
              </div>
            ))}
          </div>
        )}
      </div>
      {body !== "" && <CopyButton text={body} what={`the ${title.toLowerCase()} body`} />}
    </section>
  );
}

/** Returns a JSON object or array with a line for each value, its numbers as they are written; any other text as it is. */
function formatJson(text: string): string {
  const value = isTooDeep(text) ? undefined : readJson(text);
  return typeof value === "object" && value !== null ? stringifyExact(value, 2) : text;
}
