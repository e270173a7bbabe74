import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatCount, formatTimeOfDay } from "../../../core/format.ts";
import { isTooDeep } from "../../../core/json/parse.ts";
import { stringifyExact } from "../../../core/json/stringify.ts";
import { type EntryLimits, pageKeyId, type RequestEntry } from "../../request-log/types.ts";
import { getText, readJson } from "./api.ts";
import { info, storeId } from "./connection.ts";
import { formatMs } from "./format.ts";
import { useProblem } from "./hooks.ts";
import { keyTitle, type Plans } from "./keys.ts";
import { CopyButton, LongText, Problem, Safe, Status } from "./parts.tsx";
import { curlCommand, petsCommand } from "./resend.ts";
import { requestFragment } from "./route.ts";

interface DetailProps {
  readonly id: string;
  readonly plans: Plans;
  readonly onClose: () => void;
}

/** All that is known about one request, and the commands that send it again. */
export function RequestDetail({ id, plans, onClose }: DetailProps) {
  const { entry, problem } = useEntry(id);
  const title = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => title.current?.focus(), [entry]);
  if (entry === undefined && problem === undefined) return null;
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
        <button type="button" onClick={onClose}>
          Close
        </button>
      </header>
      {problem !== undefined && <Problem>{problem}</Problem>}
      {entry && <Entry entry={entry} plans={plans} />}
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
      const loaded = JSON.parse(await getText(`/_store/requests/${encodeURIComponent(id)}`));
      if (isCurrent) setEntry(loaded);
    });
    return () => void (isCurrent = false);
  }, [id, store]);
  return { entry, problem };
}

function Entry({ entry, plans }: { entry: RequestEntry; plans: Plans }) {
  const { requestHeaders, requestBody, responseHeaders, responseBody } = entry;
  return (
    <>
      <Facts entry={entry} plans={plans} />
      <p class="note">
        <a href={requestFragment(entry.id)}>Link to this request</a>
      </p>
      <Resend entry={entry} />
      <Message title="Request" headers={requestHeaders} body={formatJson(requestBody)} />
      <Message title="Response" headers={responseHeaders} body={formatJson(responseBody)} />
      {entry.truncated && <p class="note">Bodies are limited to 4 KiB.</p>}
    </>
  );
}

/** Returns a JSON object or array with a line for each value, its numbers as they are written; any other text as it is. */
function formatJson(text: string): string {
  const value = isTooDeep(text) ? undefined : readJson(text);
  return typeof value === "object" && value !== null ? stringifyExact(value, 2) : text;
}

function Facts({ entry, plans }: { entry: RequestEntry; plans: Plans }) {
  const { time, durationMs, keyId, remoteAddress, limits, fault, early } = entry;
  const facts: readonly (readonly [name: string, value: string | null])[] = [
    ["Received", formatTimeOfDay(Date.parse(time))],
    ["Duration", formatMs(durationMs)],
    ["From", remoteAddress],
    ["Key", keyId === pageKeyId ? "none (sent by this page)" : keyTitle(keyId, plans)],
    ["Limit", limits && limitText(limits)],
    ["Fault", fault],
    ["Early", early ? "before Retry-After elapsed" : null],
  ];
  return (
    <dl class="facts">
      {facts.map(
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
  );
}

/** What the headers say where there is no limit. */
const unlimited = 2_147_483_647;

function limitText({ limit, remaining }: EntryLimits): string {
  if (limit === unlimited) return "unlimited";
  return `${formatCount(remaining)} of ${formatCount(limit)} left`;
}

function Resend({ entry }: { entry: RequestEntry }) {
  const store = info.value;
  if (store === undefined) return null;
  const commands = [
    { name: "pets", text: petsCommand(entry, store) },
    { name: "curl", text: curlCommand(entry, store) },
  ];
  return (
    <section>
      <h4>Send it again</h4>
      {commands.every(({ text }) => text === undefined) && (
        <p class="note">The body was cut, so the request cannot be sent again from here.</p>
      )}
      {commands.map(
        ({ name, text }) =>
          text !== undefined && (
            <div key={name} class="command">
              <code tabIndex={0}>
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
  readonly body: string;
}

function Message({ title, headers, body }: MessageProps) {
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
