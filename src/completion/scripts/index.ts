import type { Shell } from "../../core/enums.ts";
import bash from "./pets.bash";
import fish from "./pets.fish";
import powershell from "./pets.ps1";
import zsh from "./pets.zsh";

/** The completion scripts, by shell. Each only calls `pets __complete`, and shows what that prints. */
export const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell };
