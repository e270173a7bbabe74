// Allowed values of flags and fields, for the parser, help and completion. This file imports nothing.

export const petStatuses = ["available", "pending", "sold"] as const;

export const outputFormatNames = ["table", "json", "ndjson", "csv", "tsv"] as const;

export type OutputFormatName = (typeof outputFormatNames)[number];

/** The formats of `add --from`. */
export const inputFormats = ["ndjson", "json", "csv", "tsv", "xlsx"] as const;

export const planNames = ["free", "pro", "business", "enterprise"] as const;

/** The ways in which a request can be made to fail (`help store`). */
export const faultKinds = ["429", "500", "reset", "truncate", "hang"] as const;

export type FaultKind = (typeof faultKinds)[number];

export const shells = ["bash", "zsh", "fish", "powershell"] as const;

export type Shell = (typeof shells)[number];
