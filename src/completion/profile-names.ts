/** What the scripts run for the names of profiles, when a profile is asked for and not before. */
export const profileCommand = "pets profile list --output tsv --fields name";

/** Emptied for that command: a wrong one would end it, though it needs none. */
export const clearedVariables = [
  "PETS_API_KEY",
  "PETS_BASE_URL",
  "PETS_MAX_WAIT",
  "PETS_PROFILE",
  "PETS_TIMEOUT",
] as const;

/** The same for a POSIX shell and zsh: assignments before the command. */
export const clearAssignments = clearedVariables.map((name) => `${name}=''`).join(" ");
