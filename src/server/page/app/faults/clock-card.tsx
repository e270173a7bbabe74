import { loadSetting, settings } from "../connection.ts";
import { useInterval, useProblem } from "../hooks.ts";
import { formTexts, Problem } from "../parts.tsx";
import { Switch } from "./switch-row.tsx";

const forms = [
  { field: "advance", label: "Advance by", hint: "61s, 5m, 1h or 1d", button: "Advance" },
  { field: "set", label: "Set to", hint: "2030-12-05T00:00:00Z", button: "Set" },
] as const;

/** The store's time, which can be stopped and moved on. */
export function ClockCard() {
  const clock = settings.clock.value;
  const { problem, attempt } = useProblem();
  useInterval(1_000, () => void loadSetting("clock").catch(() => {}));
  if (clock === undefined) return null;
  const change = (part: Readonly<Record<string, unknown>>): Promise<boolean> =>
    attempt(() => loadSetting("clock", JSON.stringify(part)));
  const submit = async (form: HTMLFormElement, field: string): Promise<void> => {
    if (await change({ [field]: formTexts(form)[field]?.trim() })) form.reset();
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
        onToggle={(frozen) => void change({ frozen })}
      />
      {forms.map(({ field, label, hint, button }) => (
        <form
          key={field}
          class="text-form"
          onSubmit={(event) => {
            event.preventDefault();
            void submit(event.currentTarget, field);
          }}
        >
          <label>
            {label}
            <input name={field} placeholder={hint} required autocomplete="off" />
          </label>
          <button>{button}</button>
        </form>
      ))}
      {problem !== undefined && <Problem>{problem}</Problem>}
    </div>
  );
}
