import type { ComponentChildren } from "preact";
import type { Outcome, RequestRow } from "../../../request-log/types.ts";
import { type Filters, keyChoice } from "./filters.ts";
import { keyTitle, plans } from "../keys.ts";
import { useValue } from "../value.ts";

const outcomes: readonly (readonly [Outcome | "", string])[] = [
  ["", "All statuses"],
  ["ok", "2xx"],
  ["limited", "429"],
  ["client", "other 4xx"],
  ["server", "5xx"],
  ["none", "no response"],
];

/** The filters of the requests, followed by other controls. */
export function FilterBar({
  rows,
  filters,
  onChange,
  children,
}: {
  rows: readonly RequestRow[];
  filters: Filters;
  onChange: (filters: Filters) => void;
  children: ComponentChildren;
}) {
  const known = useValue(plans);
  const keys = [...new Set([...rows.map(keyChoice), ...(filters.key ? [filters.key] : [])])];
  const titleOf = (key: string): string => keyTitle(key === "-" ? null : key, known);
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()} aria-label="Filters">
      <Choice
        title="Status"
        value={filters.outcome}
        choices={outcomes}
        onChange={(value) =>
          onChange({ ...filters, outcome: outcomes.find(([it]) => it === value)?.[0] ?? "" })
        }
      />
      <Choice
        title="Key"
        value={filters.key}
        choices={[["", "All keys"], ...keys.sort().map((key) => [key, titleOf(key)] as const)]}
        onChange={(key) => onChange({ ...filters, key })}
      />
      <label class="grow">
        <span class="visually-hidden">Method or path</span>
        <input
          type="search"
          placeholder="Method or path"
          value={filters.path}
          onInput={({ currentTarget: { value } }) => onChange({ ...filters, path: value })}
        />
      </label>
      {children}
    </form>
  );
}

function Choice({
  title,
  value,
  choices,
  onChange,
}: {
  title: string;
  value: string;
  choices: readonly (readonly [value: string, text: string])[];
  onChange: (value: string) => void;
}) {
  return (
    <label>
      <span class="visually-hidden">{title}</span>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
