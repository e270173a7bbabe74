import { useEffect, useState } from "preact/hooks";
import { getJson, postJson, RequestFailure } from "../api.ts";
import { type FaultForm, formTexts, readForm } from "./fault-form.ts";

/** Returns the faults in force. A change applies at once; if the store refuses it, the form is reset. */
export function useFaults() {
  const [form, setForm] = useState<FaultForm>();
  const [problem, setProblem] = useState<string>();
  const run = async (request: Promise<unknown>): Promise<void> => {
    try {
      const texts = Object(await request);
      setForm((previous) => readForm(texts, previous));
      setProblem(undefined);
    } catch (error) {
      setProblem(error instanceof RequestFailure ? error.message : String(error));
    }
  };
  const reload = (): void => void run(getJson("/_store/faults"));
  useEffect(reload, []);
  const change = (next: FaultForm): void => {
    setForm(next);
    void run(postJson("/_store/faults", JSON.stringify(formTexts(next))));
  };
  return { form, problem, change, reload };
}
