import { useState } from "preact/hooks";
import { loadSetting } from "../connection.ts";
import { useProblem } from "../hooks.ts";
import { Problem } from "../parts.tsx";

interface SwitchProps {
  readonly title: string;
  readonly text: string;
  readonly isOn: boolean;
  readonly onToggle: (isOn: boolean) => void;
}

/** A switch, and what it does. It shows `isOn`; a click is only passed on. */
export function Switch({ title, text, isOn, onToggle }: SwitchProps) {
  return (
    <label class="switch">
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

interface RowProps {
  readonly title: string;
  readonly text: string;
  /** The names and units of its numbers, all of which are 0 while it is off. */
  readonly fields: readonly (readonly [label: string, unit: string])[];
  /** What it is set to when it is turned on first. */
  readonly initial: readonly number[];
  readonly inForce: readonly number[];
  /** Returns the field that sets the faults to these numbers; throws an Error for the user if they cannot be. */
  readonly changeOf: (values: readonly number[]) => Readonly<Record<string, string>>;
}

/** A fault as a switch with numbers. It shows what is in force; while that is none, what was set last. */
export function SwitchRow({ title, text, fields, initial, inForce, changeOf }: RowProps) {
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
  return (
    <li class="card row">
      <Switch
        title={title}
        text={text}
        isOn={isOn}
        onToggle={(on) => set(on ? last : initial.map(() => 0))}
      />
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
      {problem !== undefined && <Problem>{problem}</Problem>}
    </li>
  );
}
