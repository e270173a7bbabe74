import { useEffect, useRef, useState } from "preact/hooks";
import { formatCount, formatTimeOfDay } from "../../../../core/format.ts";
import { type EntryLimits, pageKeyId, type RequestEntry } from "../../../request-log/types.ts";
import { info, storeId } from "../connection.ts";
import { formatMs } from "../format.ts";
import { keyTitle, plans } from "../keys.ts";
import { CopyButton, LongText, Problem, Safe, SafeLines, Status } from "../parts.tsx";
import { requestFragment } from "../route.ts";
import { useProblem } from "../use-problem.ts";
import { useValue } from "../value.ts";
import { loadEntry } from "./entries.ts";
import { formatJson } from "./format-json.ts";
import { curlCommand, isCut, petsCommand } from "./resend.ts";

/** All that is known about one request, and the commands that send it again. */
export function RequestDetail({ id, onClose }: { id: string; onClose: () => void }) {
  const { entry, problem } = useEntry(id);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), [entry]);
  if (entry === undefined && problem === undefined) return null;
  return (
    <article class="card detail" aria-labelledby="detail-title">
      <header>
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
      {entry && <Entry entry={entry} />}
    </article>
  );
}

/** Returns the entry `id` once it is fetched. */
function useEntry(id: string) {
  const [entry, setEntry] = useState<RequestEntry>();
  const { problem, attempt } = useProblem();
  const store = useValue(storeId);
  useEffect(() => {
    let isCurrent = true;
    const load = async (): Promise<void> => {
      const loaded = await loadEntry(id);
      if (isCurrent) setEntry(loaded);
    };
    setEntry(undefined);
    void attempt(load);
    return () => void (isCurrent = false);
  }, [id, store]);
  return { entry, problem };
}

function Entry({ entry }: { entry: RequestEntry }) {
  const { requestBody, responseBody } = entry;
  const shown = (body: string): string => formatJson(body, isCut(entry, body)) ?? body;
  return (
    <>
      <Facts entry={entry} />
      <p class="note">
        <a href={requestFragment(entry.id)}>Link to this request</a>
      </p>
      <Resend entry={entry} />
      <Message title="Request" headers={entry.requestHeaders} body={shown(requestBody)} />
      <Message title="Response" headers={entry.responseHeaders} body={shown(responseBody)} />
      {entry.truncated && <p class="note">Bodies are limited to 4 KiB.</p>}
    </>
  );
}

function Facts({ entry }: { entry: RequestEntry }) {
  const { time, durationMs, keyId, remoteAddress, limits, fault, early } = entry;
  const known = useValue(plans);
  const key = keyId === pageKeyId ? "none (sent by this page)" : keyTitle(keyId, known);
  const facts: readonly (readonly [string, string])[] = [
    ["Received", formatTimeOfDay(Date.parse(time))],
    ["Duration", formatMs(durationMs)],
    ["From", remoteAddress],
    ["Key", key],
    ...(limits === null ? [] : [["Limit", limitText(limits)] as const]),
    ...(fault === null ? [] : [["Fault", fault] as const]),
    ...(early ? [["Early", "before Retry-After elapsed"] as const] : []),
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Safe text={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** What the headers say where there is no limit. */
const unlimited = 2_147_483_647;

function limitText({ limit, remaining }: EntryLimits): string {
  return limit === unlimited
    ? "unlimited"
    : `${formatCount(remaining)} of ${formatCount(limit)} left`;
}

function Resend({ entry }: { entry: RequestEntry }) {
  const store = useValue(info);
  if (store === undefined) return null;
  const commands = [
    ["pets", petsCommand(entry, store)],
    ["curl", curlCommand(entry, store)],
  ] as const;
  const known = commands.flatMap(([name, text]) => (text === undefined ? [] : [{ name, text }]));
  return (
    <section>
      <h4>Send it again</h4>
      {known.length === 0 && (
        <p class="note">The body was cut, so the request cannot be sent again from here.</p>
      )}
      {known.map(({ name, text }) => (
        <div key={name} class="command">
          <code tabIndex={0}>
            <Safe text={text} />
          </code>
          <CopyButton text={text} what={`the ${name} command`} />
        </div>
      ))}
    </section>
  );
}

function Message({
  title,
  headers,
  body,
}: {
  title: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}) {
  return (
    <section>
      <h4>{title}</h4>
      <div class="raw" tabIndex={0} role="group" aria-label={`${title} headers and body`}>
        {Object.entries(headers).map(([name, value]) => (
          <div key={name}>
            <span class="header-name">
              <Safe text={name} />:
            </span>{" "}
            <Safe text={value} />
          </div>
        ))}
        {body !== "" && (
          <div class="body">
            <SafeLines text={body} />
          </div>
        )}
      </div>
      {body !== "" && <CopyButton text={body} what={`the ${title.toLowerCase()} body`} />}
    </section>
  );
}
