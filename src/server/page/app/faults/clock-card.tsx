import { useRef } from "preact/hooks";
import { loadSetting, settings } from "../connection.ts";
import { Problem } from "../parts.tsx";
import { storeNow } from "../store-clock.ts";
import { useProblem } from "../use-problem.ts";
import { useTick, useValue } from "../value.ts";
import { Switch } from "./fault-fields.tsx";

/** The store's time, which can be stopped and moved on. */
export function ClockCard() {
  const clock = useValue(settings.clock);
  const { problem, attempt } = useProblem();
  useTick(250);
  if (clock === undefined) return null;
  const change = (part: Readonly<Record<string, unknown>>): Promise<boolean> =>
    attempt(() => loadSetting("clock", JSON.stringify(part)));
  return (
    <div class="card">
      <h3>Clock</h3>
      <p class="clock">
        <time>{new Date(storeNow()).toISOString().replace(/\.\d+Z$/, "Z")}</time>
      </p>
      <Switch
        title="Frozen"
        text="stops the store's clock"
        isOn={clock.frozen}
        onToggle={(frozen) => void change({ frozen })}
      />
      <TextForm
        label="Advance by"
        hint="61s, 5m, 1h or 1d"
        button="Advance"
        onSubmit={(advance) => change({ advance })}
      />
      <TextForm
        label="Set to"
        hint="2030-12-05T00:00:00Z"
        button="Set"
        onSubmit={(set) => change({ set })}
      />
      {problem !== undefined && <Problem>{problem}</Problem>}
    </div>
  );
}

/** A field with a button; it is emptied when `onSubmit` returns true. */
function TextForm({
  label,
  hint,
  button,
  onSubmit,
}: {
  label: string;
  hint: string;
  button: string;
  onSubmit: (text: string) => Promise<boolean>;
}) {
  const field = useRef<HTMLInputElement>(null);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const { current } = field;
    if (current !== null && (await onSubmit(current.value.trim()))) current.value = "";
  };
  return (
    <form class="text-form" onSubmit={submit}>
      <label>
        {label}
        <input ref={field} placeholder={hint} required autocomplete="off" />
      </label>
      <button>{button}</button>
    </form>
  );
}
