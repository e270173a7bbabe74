/** The shells that `pets completion` knows (contract.md, Commands). */
export const shells = ["bash", "zsh", "fish", "powershell"] as const;

export type Shell = (typeof shells)[number];
