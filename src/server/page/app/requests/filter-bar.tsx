import type { ComponentChildren } from "preact";
import type { RequestEntry } from "../../../inspect/types.ts";
import type { Outcome } from "./feed.ts";
import { type Filters, keyChoice } from "./filters.ts";
import { keyTitle } from "../key-title.ts";

const outcomes: readonly (readonly [Outcome | "", string])[] = [
  ["", "All statuses"],
  ["ok", "2xx"],
  ["limited", "429"],
  ["client", "other 4xx"],
  ["server", "5xx"],
  ["none", "no reply"],
];

/** The filters of the requests, followed by other controls. */
export function FilterBar({
  entries,
  filters,
  onChange,
  children,
}: {
  readonly entries: readonly RequestEntry[];
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
  readonly children: ComponentChildren;
}) {
  const keys = [...new Set([...entries.map(keyChoice), ...(filters.key ? [filters.key] : [])])];
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
        choices={[["", "All keys"], ...keys.sort().map((key) => [key, keyTitle(key)] as const)]}
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
  readonly title: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
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
