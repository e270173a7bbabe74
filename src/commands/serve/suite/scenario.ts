/** A step of a script, as `--script` takes it (`help store`). */
interface ScriptLine {
  readonly on: string;
  readonly do: number | string;
  readonly times?: number;
  readonly kept?: boolean;
  readonly retryAfter?: number | string;
  readonly body?: "html";
  readonly over?: string;
}

/** Trouble in which `pets serve --suite` judges a command. */
export interface Scenario {
  /** Lower case, with hyphens. */
  readonly name: string;
  /** What a good client does, in one sentence of Markdown. */
  readonly advice: string;
  /** What the store does; a scenario is not reached unless every step was taken. */
  readonly script: readonly ScriptLine[];
  /** The limits of the key, as for `--plan`; none unless given. */
  readonly plan?: string;
  /** How long a ban lasts, as for `--ban`. */
  readonly ban?: string;
  /** What happens to the key before the command starts. */
  readonly before?: "ban" | "revoke";
  /** Whether waiting or trying again helps, so that the command must end with 0. */
  readonly mustSucceed: boolean;
}

/** Returns the script of a scenario as NDJSON. */
export function scriptText({ script }: Scenario): string {
  return script.map((step) => `${JSON.stringify(step)}\n`).join("");
}
