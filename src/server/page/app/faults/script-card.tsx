import { useState } from "preact/hooks";
import { stringifyExact } from "../../../../core/json/stringify.ts";
import { loadSetting, settings } from "../connection.ts";
import { useInterval, useProblem } from "../hooks.ts";
import { Problem, Safe } from "../parts.tsx";

/** The steps of the script, how often each was taken, and a form that replaces them. */
export function ScriptCard() {
  const [text, setText] = useState("");
  const { problem, attempt } = useProblem();
  // Its steps are taken by requests.
  useInterval(1_000, () => void loadSetting("script").catch(() => {}));
  const change = async (next: string): Promise<void> => {
    if (await attempt(() => loadSetting("script", next))) setText("");
  };
  const { steps = [] } = settings.script.value ?? {};
  return (
    <div class="card">
      <h3>Script</h3>
      {steps.length === 0 && <p class="note">No steps.</p>}
      <ol class="steps">
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
      <label>
        Steps, one JSON object per line
        <textarea
          rows={3}
          placeholder='{"on":"POST /pets","do":503,"retryAfter":2}'
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <div class="row buttons">
        <button type="button" disabled={steps.length === 0} onClick={() => void change("off")}>
          Turn off
        </button>
        <button type="button" class="primary" onClick={() => void change(text)}>
          Use script
        </button>
      </div>
      {problem !== undefined && <Problem>{problem}</Problem>}
    </div>
  );
}
