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

interface NumberProps {
  readonly label: string;
  readonly unit: string;
  readonly value: number;
  /** Called with NaN for what is no number. */
  readonly onChange: (value: number) => void;
}

/** A number that belongs to a switch. It shows `value`; what is typed instead is only passed on. */
export function NumberField({ label, unit, value, onChange }: NumberProps) {
  return (
    <label class="number-field">
      <input
        type="number"
        aria-label={label}
        min={0}
        step="any"
        value={value}
        onChange={({ currentTarget }) => {
          const typed = currentTarget.valueAsNumber;
          currentTarget.value = String(value);
          onChange(typed);
        }}
      />
      <span aria-hidden="true">{unit}</span>
    </label>
  );
}
