import { useRef, useState } from "preact/hooks";
import { type FaultKind, faultKinds } from "../../../core/enums.ts";
import { plural } from "../../../core/format.ts";
import { stringifyExact } from "../../../core/json/stringify.ts";
import {
  type FaultShares,
  formatFaults,
  formatLatency,
  type Latency,
  parseFaults,
  parseLatency,
  withShares,
} from "../../lab/fault-spec.ts";
import { getJson, postJson } from "./api.ts";
import { info, loadSetting, settings } from "./connection.ts";
import { useInterval, useProblem } from "./hooks.tsx";
import { Empty, formTexts, Safe } from "./parts.tsx";

/** The faults, the clock and the script of the store, and its reset. */
export function FaultsView() {
  return (
    <section aria-labelledby="faults-title">
      <h2 id="faults-title">Faults</h2>
      {info.value?.lab ? (
        <>
          <Switches />
          <div class="switches">
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

const kinds: Record<FaultKind, readonly [title: string, text: string]> = {
  429: ["429", "responds with 429 and Retry-After: 1"],
  500: ["500", "responds with 500; the animal may have been added"],
  reset: ["Reset", "closes the connection without a response"],
  truncate: ["Truncate", "cuts the response off"],
  hang: ["Hang", "never responds"],
};

function Switches() {
  const inForce = settings.faults.value;
  if (inForce === undefined) return null;
  const shares: FaultShares = parseFaults(inForce.fault) ?? new Map();
  const { ms = 0, jitter = 0 } = parseLatency(inForce.latency) ?? {};
  return (
    <>
      <p class="note">Each switch makes a share of requests fail, starting with the next one.</p>
      <ul class="switches">
        {faultKinds.map((kind) => (
          <SwitchRow
            key={kind}
            title={kinds[kind][0]}
            text={kinds[kind][1]}
            fields={[[`${kinds[kind][0]}: percent of requests`, "%"]]}
            initial={[10]}
            inForce={[toPercent(shares.get(kind) ?? 0)]}
            changeOf={([percent = 0]) => ({ change: shareText(shares, kind, percent) })}
          />
        ))}
        <SwitchRow
          title="Latency"
          text="delays every response"
          fields={[
            ["Latency in milliseconds", "ms"],
            ["Latency: plus or minus up to, in milliseconds", "± ms"],
          ]}
          initial={[200, 100]}
          inForce={[ms, jitter]}
          changeOf={([mean = 0, spread = 0]) => ({
            latency: latencyText({ ms: mean, jitter: spread }),
          })}
        />
      </ul>
    </>
  );
}

/** Returns a share of 1 in percent. */
export function toPercent(share: number): number {
  return Number((share * 100).toPrecision(6));
}

/** Returns the text that sets a kind to a share in percent. Throws an Error for the user if the others leave less. */
export function shareText(shares: FaultShares, kind: FaultKind, percent: number): string {
  if (!(percent >= 0 && percent <= 100)) throw new Error("Enter a percentage from 0 to 100.");
  const text = formatFaults(new Map([[kind, Number((percent / 100).toPrecision(6))]]));
  if (withShares(shares, text) !== undefined) return text;
  const used = [...shares].reduce((sum, [other, share]) => (other === kind ? sum : sum + share), 0);
  throw new Error(
    `Not set to ${percent}%: the other faults take ${toPercent(used)}% of the requests, which leaves ${toPercent(1 - used)}%.`,
  );
}

/** Returns the text that sets the latency. Throws an Error for the user if it is not valid. */
export function latencyText(latency: Latency): string {
  const text = formatLatency(latency);
  if (parseLatency(text) !== undefined) return text;
  throw new Error("Enter whole milliseconds from 0 to 3,600,000.");
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
    <label class="row switch">
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

interface RowProps extends Pick<SwitchProps, "title" | "text"> {
  /** The names and units of its numbers, all of which are 0 while it is off. */
  readonly fields: readonly (readonly [label: string, unit: string])[];
  /** What it is set to when it is turned on first. */
  readonly initial: readonly number[];
  readonly inForce: readonly number[];
  /** Returns the field that sets the faults to these numbers; throws an Error for the user if they are not valid. */
  readonly changeOf: (values: readonly number[]) => Readonly<Record<string, string>>;
}

/** A fault as a switch with numbers. It shows what is in force; while that is none, what was set last. */
function SwitchRow({ title, text, fields, initial, inForce, changeOf }: RowProps) {
  const [last, setLast] = useState(initial);
  const { problem, attempt } = useProblem();
  const isOn = inForce.some((value) => value > 0);
  const shown = isOn ? inForce : last;
  const set = (values: readonly number[]): void => {
    void attempt(async () => {
      const change = changeOf(values);
      if (isOn) setLast(inForce);
      await loadSetting("faults", JSON.stringify(change));
    });
  };
  const toggle = (on: boolean): void => set(on ? last : initial.map(() => 0));
  return (
    <li class="card row">
      <Switch title={title} text={text} isOn={isOn} onToggle={toggle} />
      <div class="row numbers">
        {fields.map(([label, unit], at) => (
          <label key={label} class="row">
            <input
              type="number"
              aria-label={label}
              min={0}
              step="any"
              value={shown[at]}
              onChange={({ currentTarget }) => {
                const typed = currentTarget.valueAsNumber;
                currentTarget.value = String(shown[at]);
                set(shown.with(at, typed));
              }}
            />
            <span aria-hidden="true">{unit}</span>
          </label>
        ))}
      </div>
      {problem}
    </li>
  );
}

/** Keeps a setting current that changes by itself; returns how to change it, and what went wrong. */
function useSetting(name: "clock" | "script") {
  const { problem, attempt } = useProblem();
  useInterval(1_000, () => void loadSetting(name).catch(() => {}));
  const change = (body: string): Promise<boolean> => attempt(() => loadSetting(name, body));
  return { problem, change };
}

const clockForms = [
  { field: "advance", label: "Advance by", hint: "61s, 5m, 1h or 1d", button: "Advance" },
  { field: "set", label: "Set to", hint: "2030-12-05T00:00:00Z", button: "Set" },
] as const;

/** The store's time, which can be stopped and moved on. */
function ClockCard() {
  const { problem, change } = useSetting("clock");
  const clock = settings.clock.value;
  if (clock === undefined) return null;
  const submit = async (form: HTMLFormElement, field: string): Promise<void> => {
    const text = formTexts(form)[field]?.trim();
    if (await change(JSON.stringify({ [field]: text }))) form.reset();
  };
  return (
    <div class="card">
      <h3>Clock</h3>
      <p>
        <time>{clock.now.replace(/\.\d+Z$/, "Z")}</time>
      </p>
      <Switch
        title="Frozen"
        text="stops the store's clock"
        isOn={clock.frozen}
        onToggle={(frozen) => void change(JSON.stringify({ frozen }))}
      />
      {clockForms.map(({ field, label, hint, button }) => (
        <form
          key={field}
          class="row text-form"
          autocomplete="off"
          onSubmit={(event) => {
            event.preventDefault();
            void submit(event.currentTarget, field);
          }}
        >
          <label class="grow">
            {label}
            <input name={field} placeholder={hint} required />
          </label>
          <button>{button}</button>
        </form>
      ))}
      {problem}
    </div>
  );
}

/** The steps of the script, how often each was taken, and a form that replaces them. */
function ScriptCard() {
  const [text, setText] = useState("");
  const { problem, change } = useSetting("script");
  const { steps = [] } = settings.script.value ?? {};
  const replace = async (next: string): Promise<void> => {
    if (await change(next)) setText("");
  };
  return (
    <div class="card">
      <h3>Script</h3>
      {steps.length === 0 && <p class="note">No steps.</p>}
      <ol class="steps">
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
      <label>
        Steps, one JSON object per line
        <textarea
          rows={3}
          placeholder='{"on":"POST /pets","do":503,"retryAfter":2}'
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <div class="row buttons">
        <button disabled={steps.length === 0} onClick={() => void replace("off")}>
          Turn off
        </button>
        <button class="primary" onClick={() => void replace(text)}>
          Use script
        </button>
      </div>
      {problem}
    </div>
  );
}

/** Resets the store after a confirmation that says what is lost. */
function ResetCard() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [count, setCount] = useState(0);
  const { problem, attempt } = useProblem();
  const data = info.value?.data ?? "memory";
  const open = async (): Promise<void> => {
    setCount(Number(Object(await getJson("/_store/state")).pets));
    dialog.current?.showModal();
  };
  const reset = (): Promise<boolean> => {
    dialog.current?.close();
    return attempt(() => postJson("/_store/reset", ""));
  };
  const place = data === "memory" ? "" : ` from ${data}, including those added in earlier runs`;
  const lost = `${plural(count, "animal")} will be deleted${place}. This cannot be undone.`;
  return (
    <div class="card row apart">
      <div>
        <h3>Reset the store</h3>
        <p class="note">
          Deletes all animals, adds those of <code>--seed</code> again, and restores the faults set
          at startup.
        </p>
      </div>
      <button class="danger" onClick={() => void attempt(open)}>
        Reset…
      </button>
      {problem}
      <dialog ref={dialog} aria-labelledby="reset-title">
        <h3 id="reset-title">Reset the store?</h3>
        <p>{count === 0 ? "There are no animals to delete." : lost}</p>
        <p>
          Then the animals of <code>--seed</code> are added again. Limits, bans and recorded
          requests are cleared; faults and latency return to those set at startup.
        </p>
        <div class="row buttons">
          <button onClick={() => dialog.current?.close()}>Cancel</button>
          <button class="danger" onClick={() => void reset()}>
            Reset
          </button>
        </div>
      </dialog>
    </div>
  );
}
