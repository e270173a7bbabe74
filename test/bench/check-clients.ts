import path from "node:path";

/** A client that `pets serve --check` judges. */
export interface CheckedClient {
  /** Its name in README.md. */
  readonly title: string;
  readonly program: string;
  /** The name of its file in `clients`. */
  readonly file: string;
  /** What it needs besides Node.js. */
  readonly needs?: string;
}

/** Six clients that add eight animals each, and list them after each. */
export const checkedClients: readonly CheckedClient[] = [
  {
    title: "`curl` that waits and repeats only `GET`",
    program: "sh",
    file: "polite-curl.sh",
    needs: "curl",
  },
  {
    title: "`curl` in a loop until it succeeds",
    program: "sh",
    file: "rude-curl.sh",
    needs: "curl",
  },
  {
    title: "`fetch` with retries and a growing delay",
    program: process.execPath,
    file: "naive-fetch.mjs",
  },
  {
    title: "undici's `RetryAgent` with its defaults",
    program: process.execPath,
    file: "retry-agent.mjs",
  },
  { title: "`pets`", program: "sh", file: "pets.sh" },
  {
    title: "Python that waits and repeats `POST` too",
    program: "python3",
    file: "retries.py",
    needs: "python3",
  },
];

/** Returns the arguments of `pets serve` that check `client` and write the report to a file. */
export function checkWords({ program, file }: CheckedClient, report: string): readonly string[] {
  const command = [program, path.join(import.meta.dirname, "clients", file)];
  return ["serve", "--check", "--report", report, ...checkedFaults, "--", ...command];
}

/** The faults under which they are checked, as in README.md. */
export const checkedFaults = ["--fault", "429:0.1,reset:0.05,500:0.05", "--fault-seed", "42"];
