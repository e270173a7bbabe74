import type { TargetedSubmitEvent } from "preact";
import { useState } from "preact/hooks";
import { type FaultKind, faultKinds } from "../../../core/enums.ts";
import { plural } from "../../../core/format.ts";
import { stringifyExact } from "../../../core/json/stringify.ts";
import { type FaultShares, formatFaults, parseFaults } from "../../lab/fault-spec.ts";
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
          <p class="note">
            Each switch makes a share of requests fail, starting with the next one.
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
  truncate: "cuts the response off",
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
        changeOf={(latency) => ({ latency })}
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
  /** What it is set to when it is turned on first. */
  readonly initial: string;
  /** `0` while it is off. */
  readonly inForce: string;
  /** Returns the field that sets the faults to what is typed; throws an Error for the user if that is not valid. */
  readonly changeOf: (typed: string) => Readonly<Record<string, string>>;
}

/** A fault as a switch with a value. It shows what is in force; while that is none, what was set last. */
function SwitchCard({ title, text, unit, initial, inForce, changeOf }: SwitchCardProps) {
  const [last, setLast] = useState(initial);
  const { problem, attempt } = useProblem();
  const isOn = inForce !== "0";
  const shown = isOn ? inForce : last;
  const set = (typed: string): void => {
    void attempt(async () => {
      const change = changeOf(typed);
      if (isOn) setLast(inForce);
      await loadSetting("faults", JSON.stringify(change));
    });
  };
  return (
    <div class="card row">
      <Switch title={title} text={text} isOn={isOn} onToggle={(on) => set(on ? last : "0")} />
      <label class="row">
        <input
          aria-label={`${title}: ${unit}`}
          value={shown}
          onChange={({ currentTarget }) => {
            const { value } = currentTarget;
            currentTarget.value = shown;
            set(value);
          }}
        />
        {unit}
      </label>
      {problem}
    </div>
  );
}

/** Keeps a setting current that changes by itself; returns what changes it, also by the text of a form, and what went wrong. */
function useSetting(name: "clock" | "script", bodyOf: (text: string) => string) {
  const { problem, attempt } = useProblem();
  useInterval(1_000, () => void loadSetting(name).catch(() => {}));
  const change = (body: string): Promise<boolean> => attempt(() => loadSetting(name, body));
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    if (await change(bodyOf(formTexts(form)["text"] ?? ""))) form.reset();
  };
  return { problem, change, submit };
}

function ClockCard() {
  const { problem, change, submit } = useSetting("clock", (text) =>
    JSON.stringify({ [text.startsWith("+") ? "advance" : "set"]: text }),
  );
  const clock = settings.clock.value;
  if (clock === undefined) return null;
  return (
    <form class="card" autocomplete="off" onSubmit={(event) => void submit(event)}>
      <h3>Clock</h3>
      <p>{clock.now.replace(/\.\d+Z$/, "Z")}</p>
      <Switch
        title="Frozen"
        text="stops the store's clock"
        isOn={clock.frozen}
        onToggle={(frozen) => void change(JSON.stringify({ frozen }))}
      />
      <label>
        Move on to a time, or by a duration
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
    const { pets } = Object(await getJson("/_store/state"));
    const place = data === "memory" ? "" : ` from ${data}, including those added in earlier runs`;
    const lost = `${plural(Number(pets), "animal")} will be deleted${place}.`;
    if (confirm(`${lost} This cannot be undone.`)) await postJson("/_store/reset", "");
  };
  return (
    <div class="card row apart">
      <div>
        <h3>Reset the store</h3>
        <p class="note">
          Deletes all animals and adds those of <code>--seed</code> again. Clears limits, bans and
          recorded requests. Faults and latency return to those set at startup.
        </p>
      </div>
      <button onClick={() => void attempt(reset)}>Reset…</button>
      {problem}
    </div>
  );
}
