import type { TargetedSubmitEvent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type FaultKind, faultKinds } from "../../../core/enums.ts";
import { plural } from "../../../core/format.ts";
import { stringifyExact } from "../../../core/json/stringify.ts";
import { escapeControls } from "../../../core/sanitize.ts";
import type { Syntax } from "../../../core/syntax.ts";
import type { StoreShapes } from "../../api/store-shapes.ts";
import { clockChangeSyntax } from "../../clock.ts";
import {
  type FaultShares,
  formatFaults,
  formatLatency,
  latencySyntax,
  parseFaults,
} from "../../lab/fault-spec.ts";
import { getJson, postJson } from "./api.ts";
import { feed, info, loadSetting, settings } from "./connection.ts";
import { useInterval, useProblem } from "./hooks.tsx";
import { Empty, formatClock, formTexts, Safe } from "./parts.tsx";

/** The faults, the clock and the script of the store, and its reset. */
export function FaultsView() {
  return (
    <section aria-labelledby="faults-title">
      <h2 id="faults-title">Faults</h2>
      {info.value?.lab ? (
        <>
          <p class="note">
            Each switch makes a percentage of requests fail, starting with the next one.
          </p>
          <div class="cards">
            <Switches />
            <ClockCard />
            <ScriptCard />
          </div>
          <ResetCard />
        </>
      ) : (
        <Empty title="Faults are off">
          <p>
            To make requests fail and to reset the store, start it with{" "}
            <code>pets serve --lab</code> or <code>--memory</code>.
          </p>
        </Empty>
      )}
    </section>
  );
}

const effects: Record<FaultKind, string> = {
  429: "responds with 429 and Retry-After: 1",
  500: "responds with 500; the animal may have been added",
  reset: "closes the connection without a response",
  truncate: "cuts off the response",
  hang: "never responds",
};

function Switches() {
  const inForce = settings.faults.value;
  if (inForce === undefined) return null;
  const shares: FaultShares = parseFaults(inForce.fault) ?? new Map();
  return (
    <>
      {faultKinds.map((kind) => (
        <SwitchCard
          key={kind}
          title={kind}
          text={effects[kind]}
          unit="%"
          initial="10"
          inForce={String(toPercent(shares.get(kind) ?? 0))}
          changeOf={(percent) => ({ change: shareText(shares, kind, Number(percent)) })}
        />
      ))}
      <SwitchCard
        title="latency"
        text="delays every response"
        unit="ms"
        initial="200±100"
        inForce={inForce.latency}
        changeOf={(text) => ({ latency: formatLatency(meaningOf(latencySyntax, text)) })}
      />
    </>
  );
}

/** Returns a share of 1 in percent. */
export function toPercent(share: number): number {
  return Number((share * 100).toPrecision(6));
}

/** Returns the text that sets a kind to a share in percent. Throws an Error for the user if the others leave less. */
export function shareText(shares: FaultShares, kind: FaultKind, percent: number): string {
  const others = [...shares].reduce((sum, [each, share]) => (each === kind ? sum : sum + share), 0);
  const left = toPercent(1 - others);
  if (percent >= 0 && percent <= left)
    return formatFaults(new Map([[kind, Number((percent / 100).toPrecision(6))]]));
  const why = others > 0 ? `, as the other faults take ${toPercent(others)}%` : "";
  throw new Error(`Enter a percentage from 0 to ${left}${why}.`);
}

/** Returns what a text means; an empty one means nothing. Throws an Error for the user. */
function meaningOf<T>({ parse, allowed }: Syntax<T>, text: string): T {
  const meaning = text === "" ? undefined : parse(text);
  if (meaning !== undefined) return meaning;
  throw new Error(`Enter ${allowed(text)}.`);
}

interface SwitchProps {
  readonly title: string;
  readonly text: string;
  readonly isOn: boolean;
  readonly onToggle: (isOn: boolean) => void;
}

/** A switch, and what it does. It shows `isOn`; a click is only passed on. */
function Switch({ title, text, isOn, onToggle }: SwitchProps) {
  return (
    <label class="row grow">
      <input
        type="checkbox"
        role="switch"
        checked={isOn}
        onChange={({ currentTarget }) => {
          currentTarget.checked = isOn;
          onToggle(!isOn);
        }}
      />
      <span>
        <strong>{title}</strong> {text}
      </span>
    </label>
  );
}

interface SwitchCardProps extends Pick<SwitchProps, "title" | "text"> {
  readonly unit: string;
  /** What it is set to until another value is typed. */
  readonly initial: string;
  /** `0` while it is off. */
  readonly inForce: string;
  /** Returns the field that sets the faults to what is typed; throws an Error for the user if that is not valid. */
  readonly changeOf: (typed: string) => Readonly<Record<string, string>>;
}

/** A fault as a switch with its value: what is in force, or what it would be turned on with. A refused value stays. */
function SwitchCard({ title, text, unit, initial, inForce, changeOf }: SwitchCardProps) {
  const [last, setLast] = useState(initial);
  const [typed, setTyped] = useState<string>();
  const { problem, attempt } = useProblem();
  const isOn = inForce !== "0";
  const shown = typed ?? (isOn ? inForce : last);
  useEffect(() => {
    setTyped(undefined);
    if (isOn) setLast(inForce);
  }, [inForce]);
  const set = async (value: string, isSet = isOn): Promise<void> => {
    const isTaken = await attempt(async () => {
      const change = changeOf(value);
      if (isSet) await loadSetting("faults", JSON.stringify(change));
      else setLast(value);
    });
    if (isTaken) setTyped(undefined);
  };
  return (
    <div class="card row">
      <Switch
        title={title}
        text={text}
        isOn={isOn}
        onToggle={(on) => void set(on ? shown : "0", true)}
      />
      <label class="row">
        <input
          aria-label={`${title}: ${unit}`}
          value={shown}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          onChange={({ currentTarget }) => void set(currentTarget.value)}
        />
        {unit}
      </label>
      {problem}
    </div>
  );
}

/** Returns what changes a setting, also by the text of a form, and what went wrong. */
function useSetting(name: "clock" | "script", bodyOf: (text: string) => string) {
  const { problem, attempt } = useProblem();
  const change = (body: string): Promise<boolean> => attempt(() => loadSetting(name, body));
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const text = formTexts(form)["text"] ?? "";
    if (await attempt(() => loadSetting(name, bodyOf(text)))) form.reset();
  };
  return { problem, change, submit };
}

function ClockCard() {
  const { problem, change, submit } = useSetting("clock", (text) =>
    JSON.stringify(meaningOf(clockChangeSyntax, text)),
  );
  const [, render] = useState({});
  useInterval(1_000, () => render({}));
  const clock = settings.clock.value;
  if (clock === undefined) return null;
  const elapsed = clock.frozen ? 0 : performance.now() - clock.receivedAt;
  const now = new Date(Date.parse(clock.now) + elapsed);
  return (
    <form class="card" autocomplete="off" onSubmit={(event) => void submit(event)}>
      <h3>Clock</h3>
      <p>
        {formatClock(now.getTime())}{" "}
        <span class="note">{now.toISOString().replace(/\.\d+Z$/, "Z")}</span>
      </p>
      <Switch
        title="Frozen"
        text="stops the store's clock"
        isOn={clock.frozen}
        onToggle={(frozen) => void change(JSON.stringify({ frozen }))}
      />
      <label>
        Move to a later time, or by a duration
        <input name="text" placeholder="+61s or 2030-12-05T00:00:00Z" required />
      </label>
      <button>Move</button>
      {problem}
    </form>
  );
}

function ScriptCard() {
  const { problem, change, submit } = useSetting("script", (text) => text);
  const { steps = [] } = settings.script.value ?? {};
  const last = feed.value.rows.find(({ fault }) => fault?.startsWith("step "))?.id;
  // A step was taken; a change of the script itself is announced.
  useEffect(() => {
    if (last !== undefined) loadSetting("script").catch(() => {});
  }, [last]);
  return (
    <form class="card" onSubmit={(event) => void submit(event)}>
      <h3>Script</h3>
      {steps.length === 0 ? (
        <p class="note">No steps.</p>
      ) : (
        <ol>
          {steps.map(({ taken, ...step }, at) => (
            <li key={at}>
              <code>
                <Safe text={stringifyExact(step)} />
              </code>{" "}
              <span class="note">
                taken {taken} of {step.times ?? 1}
              </span>
            </li>
          ))}
        </ol>
      )}
      <label>
        Steps, one JSON object per line
        <textarea name="text" rows={3} placeholder='{"on":"POST /pets","do":503,"retryAfter":2}' />
      </label>
      <button>Use script</button>
      {steps.length > 0 && (
        <button type="button" onClick={() => void change("off")}>
          Turn off
        </button>
      )}
      {problem}
    </form>
  );
}

function ResetCard() {
  const { problem, attempt } = useProblem();
  const data = info.value?.data ?? "memory";
  const reset = async (): Promise<void> => {
    const { pets } = await getJson<StoreShapes["state"]>("/_store/state");
    const place =
      data === "memory"
        ? ""
        : ` from ${escapeControls(data)}, including those added in earlier runs`;
    const lost = `${plural(pets, "animal")} will be deleted${place}.`;
    if (confirm(`${lost} This cannot be undone.`)) await postJson("/_store/reset", "");
  };
  return (
    <div class="card row apart">
      <div>
        <h3>Reset the store</h3>
        <p class="note">
          Deletes all animals and adds the animals of <code>--seed</code> again. Clears limits, bans
          and recorded requests. Faults and latency return to those set at startup.
        </p>
      </div>
      <button onClick={() => void attempt(reset)}>Reset…</button>
      {problem}
    </div>
  );
}
