import * as z from "zod/mini";
import { isApiKey } from "../../core/api-key.ts";
import { ioFailure } from "../../core/errors.ts";
import type { SavedSettings } from "../settings.ts";
import { isProfileName } from "./name.ts";

// Checked when they are used, so that a wrong one stops no other command.
const savedSettings = {
  baseUrl: z.string(),
  limiter: z.exactOptional(z.string()),
  limiterRequired: z.exactOptional(z.boolean()),
} satisfies Record<keyof SavedSettings, unknown>;

const profileFields = {
  ...savedSettings,
  apiKey: z.exactOptional(z.string().check(z.refine(isApiKey))),
  /** The command that prints the key, if the key itself is not stored. */
  keyCommand: z.exactOptional(z.string().check(z.regex(/\S/))),
  /** Whether `pets serve` saved it and may replace it; `memory` if it is removed when its store stops. */
  madeByServe: z.exactOptional(z.union([z.boolean(), z.literal("memory")])),
};

// Fields of later versions are preserved.
const fileSchema = z.looseObject({
  current: z.exactOptional(z.string()),
  profiles: z.prefault(
    z.record(z.string().check(z.refine(isProfileName)), z.looseObject(profileFields)),
    {},
  ),
});

/** A profile as it is stored: settings, and the key or where it comes from. */
export type Profile = Readonly<z.infer<z.ZodMiniObject<typeof profileFields>>>;

/** All profiles as they are stored; `current` may name one that does not exist. */
export interface ProfileData {
  readonly current?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/** Parses the text of the profile file. Throws an io Failure that names `file` and shows nothing of it except names. */
export function parseProfiles(text: string, file: string): ProfileData {
  if (text.trim() === "") return { profiles: {} };
  // Node replaces bytes that are not UTF-8 by this character.
  if (text.includes("\uFFFD")) throw damagedFailure(file, "it is not UTF-8 text");
  const result = fileSchema.safeParse(parseJson(text, file));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw damagedFailure(file, issue === undefined ? "" : problemOf(issue));
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    // Its message quotes text around the error, which may be a key.
    throw damagedFailure(file, "it is not JSON");
  }
}

function problemOf({ path, code }: z.core.$ZodIssue): string {
  const [top, name, field] = path;
  if (top === undefined) return "it is not a JSON object";
  if (name === undefined)
    return top === "current" ? "`current` is not text" : "`profiles` is not an object";
  const profile = `profile ${JSON.stringify(name)}`;
  if (code === "invalid_key") return `${profile} has an invalid name`;
  if (field === undefined) return `${profile} is not an object`;
  return `${profile} has ${field === "baseUrl" ? "no" : "an invalid"} \`${String(field)}\``;
}

/** Returns the failure of a profile file that cannot be understood. */
export function damagedFailure(file: string, problem: string) {
  return ioFailure(
    `the profile file ${file} is damaged: ${problem}`,
    undefined,
    "It was not changed. Repair it, or rename it and log in again.",
  );
}
