/** A switch, and what it does. */
export function Switch({
  title,
  text,
  isOn,
  onToggle,
}: {
  title: string;
  text: string;
  isOn: boolean;
  onToggle: (isOn: boolean) => void;
}) {
  return (
    <button
      type="button"
      class="switch"
      role="switch"
      aria-checked={isOn}
      onClick={() => onToggle(!isOn)}
    >
      <span class="knob" aria-hidden="true" />
      <span>
        <strong>{title}</strong> <span class="note">{text}</span>
      </span>
    </button>
  );
}

/** A number that belongs to a switch. It shows `value`; what is typed instead is only passed on. */
export function NumberField({
  label,
  unit,
  value,
  onChange,
}: {
  readonly label: string;
  readonly unit: string;
  readonly value: number;
  /** Called with NaN for what is no number. */
  readonly onChange: (value: number) => void;
}) {
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
