import { chooseExisting } from "../config/profiles/choose.ts";
import { hasKey, requireProfile, withoutApiKey } from "../config/profiles/profiles.ts";
import { profileColumns } from "../output/columns.ts";
import type { Context } from "./context.ts";
import { newCommand } from "./new-command.ts";
import { printChanged } from "./profile/record.ts";

export const logout = (getContext: () => Context) =>
  newCommand("logout", "remove the key from a profile", {
    columns: profileColumns,
    examples: ["pets logout", "pets logout --profile staging"],
    notes: "The base URL stays. Profile: --profile, then PETS_PROFILE, then the current one.",
  }).action(() => runLogout(getContext()));

async function runLogout(context: Context): Promise<void> {
  const store = await context.profiles();
  const { name, profile } = chooseExisting(context.settings, await store.read());
  const after = await store.update((data) => withoutApiKey(data, requireProfile(data, name)));
  await context.note(
    hasKey(profile) ? `Removed the key from profile ${name}.` : `Profile ${name} had no key.`,
  );
  if (context.env.PETS_API_KEY?.trim())
    await context.note("PETS_API_KEY is still set and takes precedence over the current profile.");
  await printChanged(context, after, name);
}
