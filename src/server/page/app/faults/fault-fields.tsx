import type { ComponentChildren } from "preact";

/** A switch, and what it does. */
export function Switch({
  title,
  text,
  isOn,
  onToggle,
}: {
  readonly title: string;
  readonly text: string;
  readonly isOn: boolean;
  readonly onToggle: (isOn: boolean) => void;
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

/** The numbers that belong to a switch. */
export function NumberFields({ children }: { readonly children: ComponentChildren }) {
  return <div class="number-fields">{children}</div>;
}

/** A number that belongs to a switch. */
export function NumberField({
  label,
  unit,
  value,
  max,
  onChange,
}: {
  readonly label: string;
  readonly unit: string;
  readonly value: number;
  readonly max: number;
  readonly onChange: (value: number) => void;
}) {
  return (
    <label class="number-field">
      <input
        type="number"
        aria-label={label}
        min={0}
        max={max}
        step="any"
        value={value}
        onChange={({ currentTarget: { valueAsNumber } }) => {
          if (valueAsNumber >= 0 && valueAsNumber <= max) onChange(valueAsNumber);
        }}
      />
      <span aria-hidden="true">{unit}</span>
    </label>
  );
}
