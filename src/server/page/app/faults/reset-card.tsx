import { useRef, useState } from "preact/hooks";
import { plural } from "../../../../core/format.ts";
import { getJson, postJson } from "../api.ts";
import { info } from "../connection.ts";
import { useProblem } from "../hooks.ts";
import { Problem } from "../parts.tsx";

/** Resets the store after a confirmation that says what is lost. */
export function ResetCard() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [count, setCount] = useState(0);
  const { problem, attempt } = useProblem();
  const data = info.value?.data ?? "memory";
  const open = (): Promise<boolean> =>
    attempt(async () => {
      setCount(Number(Object(await getJson("/_store/state")).pets));
      dialog.current?.showModal();
    });
  const reset = (): Promise<boolean> => {
    dialog.current?.close();
    return attempt(() => postJson("/_store/reset", ""));
  };
  const place = data === "memory" ? "" : ` from ${data}, including those added in earlier runs`;
  const lost = `${plural(count, "animal")} will be deleted${place}. This cannot be undone.`;
  return (
    <div class="card row apart">
      <div>
        <h3>Reset the store</h3>
        <p class="note">
          Deletes all animals, adds those of <code>--seed</code> again, and restores the faults set
          at startup.
        </p>
      </div>
      <button type="button" class="danger" onClick={() => void open()}>
        Reset…
      </button>
      {problem !== undefined && <Problem>{problem}</Problem>}
      <dialog ref={dialog} aria-labelledby="reset-title">
        <h3 id="reset-title">Reset the store?</h3>
        <p>{count === 0 ? "There are no animals to delete." : lost}</p>
        <p>
          Then the animals of <code>--seed</code> are added again. Limits, bans and recorded
          requests are cleared; faults and latency return to those set at startup.
        </p>
        <div class="row buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="button" class="danger" onClick={() => void reset()}>
            Reset
          </button>
        </div>
      </dialog>
    </div>
  );
}
