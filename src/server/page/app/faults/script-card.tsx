import { useEffect, useState } from "preact/hooks";
import { stringifyExact } from "../../../../core/json/stringify.ts";
import { loadSetting, type ScriptStep, settings } from "../connection.ts";
import { Problem, Safe } from "../parts.tsx";
import { useProblem } from "../use-problem.ts";
import { useValue } from "../value.ts";

/** The interval at which the script is fetched, in ms: its steps are taken by requests. */
const pollMs = 1_000;
const example = '{"on":"POST /pets","do":503,"retryAfter":2}';

/** The steps of the script, how often each was taken, and a form that replaces them. */
export function ScriptCard() {
  const script = useValue(settings.script);
  const [text, setText] = useState("");
  const { problem, attempt } = useProblem();
  useEffect(() => {
    const timer = setInterval(() => void loadSetting("script").catch(() => undefined), pollMs);
    return () => clearInterval(timer);
  }, []);
  if (script === undefined) return null;
  const change = async (steps: string): Promise<void> => {
    if (await attempt(() => loadSetting("script", steps))) setText("");
  };
  return (
    <div class="card">
      <h3>Script</h3>
      {script.steps.length === 0 ? <p class="note">No steps.</p> : <Steps steps={script.steps} />}
      <label>
        Steps, one JSON object per line
        <textarea
          rows={3}
          placeholder={example}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <div class="buttons">
        <button
          type="button"

          disabled={script.steps.length === 0}
          onClick={() => void change("off")}
        >
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

function Steps({ steps }: { steps: readonly ScriptStep[] }) {
  return (
    <ol class="steps">
      {steps.map(({ taken, ...step }, at) => (
        <li key={at} class={taken >= (step.times ?? 1) ? "used" : undefined}>
          <code>
            <Safe text={stringifyExact(step)} />
          </code>{" "}
          <span class="note">
            taken {taken} of {step.times ?? 1}
          </span>
        </li>
      ))}
    </ol>
  );
}
