import type { ComponentChildren } from "preact";
import { type Outcome, outcomeOf, type RequestRow } from "../../../request-log/types.ts";
import { keyTitle, type Plans } from "../keys.ts";
import { formTexts } from "../parts.tsx";

/** Which requests are shown; an empty text shows all. */
export const noFilters = {
  /** An Outcome. */
  outcome: "",
  /** The id of a key, `page`, or `-` for requests without a valid key. */
  key: "",
  /** Part of a method and path, in any case. */
  path: "",
};
export type Filters = Readonly<typeof noFilters>;

function keyChoice({ keyId }: RequestRow): string {
  return keyId ?? "-";
}

/** Returns whether `entry` is shown. */
export function matches(entry: RequestRow, { outcome, key, path }: Filters): boolean {
  if (outcome !== "" && outcomeOf(entry) !== outcome) return false;
  if (key !== "" && keyChoice(entry) !== key) return false;
  return path === "" || `${entry.method} ${entry.path}`.toLowerCase().includes(path.toLowerCase());
}

const outcomes: readonly (readonly [Outcome | "", string])[] = [
  ["", "All statuses"],
  ["ok", "2xx"],
  ["limited", "429"],
  ["client", "other 4xx"],
  ["server", "5xx"],
  ["none", "no response"],
];

interface BarProps {
  readonly rows: readonly RequestRow[];
  readonly filters: Filters;
  readonly plans: Plans;
  readonly onChange: (filters: Filters) => void;
  readonly children: ComponentChildren;
}

/** The filters of the requests, followed by other controls. */
export function FilterBar({ rows, filters, plans, onChange, children }: BarProps) {
  const keys = [...new Set([...rows.map(keyChoice), ...(filters.key ? [filters.key] : [])])].sort();
  const keyTitles = keys.map((key) => [key, keyTitle(key === "-" ? null : key, plans)] as const);
  const choices = [
    { name: "outcome", title: "Status", options: outcomes },
    { name: "key", title: "Key", options: [["", "All keys"], ...keyTitles] },
  ] as const;
  return (
    <form
      class="filters"
      aria-label="Filters"
      onSubmit={(event) => event.preventDefault()}
      onInput={({ currentTarget }) => onChange({ ...noFilters, ...formTexts(currentTarget) })}
    >
      {choices.map(({ name, title, options }) => (
        <select key={name} name={name} aria-label={title} value={filters[name]}>
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      ))}
      <input
        class="grow"
        type="search"
        name="path"
        aria-label="Method or path"
        placeholder="Method or path"
        value={filters.path}
      />
      {children}
    </form>
  );
}
