import { useEffect, useRef } from "preact/hooks";
import { pageKeyId, type RequestEntry } from "../../../inspect/types.ts";
import { formatCount } from "../../../../core/format.ts";
import { formatMs, formatTime } from "../format.ts";
import { CopyButton, Safe, SafeLines, Status } from "../parts.tsx";
import { curlCommand, petsCommand } from "./resend.ts";

/** All that is known about one request, and the commands that send it again. */
export function RequestDetail({
  entry,
  onClose,
}: {
  readonly entry: RequestEntry;
  readonly onClose: () => void;
}) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), [entry.id]);
  return (
    <article class="card detail" aria-labelledby="detail-title">
      <header>
        <h3 id="detail-title" ref={title} tabIndex={-1}>
          <Status status={entry.status} /> <Safe text={`${entry.method} ${entry.path}`} />
        </h3>
        <button type="button" class="quiet" onClick={onClose}>
          Close
        </button>
      </header>
      <Facts entry={entry} />
      <Resend entry={entry} />
      <Message title="Request" headers={entry.requestHeaders} body={entry.requestBody} />
      <Message title="Response" headers={entry.responseHeaders} body={entry.responseBody} />
      {entry.truncated && <p class="note">Bodies are cut at 4 KiB.</p>}
    </article>
  );
}

function Facts({ entry }: { readonly entry: RequestEntry }) {
  const { time, durationMs, keyId, remoteAddress, limits, fault, early } = entry;
  const key = keyId === pageKeyId ? "none: this page sent it" : (keyId ?? "none that is valid");
  const facts: readonly (readonly [string, string])[] = [
    ["Arrived", formatTime(time)],
    ["Took", formatMs(durationMs)],
    ["From", remoteAddress],
    ["Key", key],
    ...(limits === null
      ? []
      : [
          [
            "Limit",
            `${formatCount(limits.remaining)} of ${formatCount(limits.limit)} left`,
          ] as const,
        ]),
    ...(fault === null ? [] : [["Fault", fault] as const]),
    ...(early ? [["Early", "inside a Retry-After"] as const] : []),
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

function Resend({ entry }: { readonly entry: RequestEntry }) {
  const commands = [
    ["pets", petsCommand(entry)],
    ["curl", curlCommand(entry, location.origin)],
  ] as const;
  const known = commands.flatMap(([name, text]) => (text === undefined ? [] : [{ name, text }]));
  return (
    <section>
      <h4>Send it again</h4>
      {known.length === 0 && (
        <p class="note">Its body was cut, so it can't be sent again from here.</p>
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
  readonly title: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
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
    </section>
  );
}
