import { useRef, useState } from "preact/hooks";
import { RequestFailure } from "../api.ts";
import { resetStore } from "../connection.ts";
import { Problem } from "../parts.tsx";

/** A button that resets the store after a confirmation. */
export function ResetButton({ onReset }: { readonly onReset: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState<string>();
  const reset = async (): Promise<void> => {
    dialog.current?.close();
    try {
      await resetStore();
      setProblem(undefined);
      onReset();
    } catch (error) {
      setProblem(error instanceof RequestFailure ? error.message : String(error));
    }
  };
  return (
    <div class="card reset">
      <div>
        <h3>Reset the store</h3>
        <p class="note">
          Back to the seed: animals, ids, limits, bans, requests and random faults.
        </p>
      </div>
      <button type="button" class="danger" onClick={() => dialog.current?.showModal()}>
        Reset…
      </button>
      {problem !== undefined && <Problem>{problem}</Problem>}
      <dialog ref={dialog} aria-labelledby="reset-title">
        <h3 id="reset-title">Reset the store?</h3>
        <p>Animals that were added since the start are gone for good.</p>
        <div class="buttons">
          <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
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
