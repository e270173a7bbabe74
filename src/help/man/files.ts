import type { Block } from "../blocks.ts";

/** What the program keeps, and where (platform/paths.ts). */
export const files: readonly Block[] = [
  {
    terms: [
      [
        "~/.config/pets/config.json",
        "The profiles, with their keys. Below XDG_CONFIG_HOME where that is set; on macOS below ~/Library/Preferences, on Windows below %APPDATA%.",
      ],
      [
        "~/.local/share/pets/store.db",
        "The animals, keys and limits of `pets serve`. Below XDG_DATA_HOME where that is set; on macOS below ~/Library/Application Support, on Windows below %LOCALAPPDATA%.",
      ],
      [
        "~/.local/state/pets/gate",
        "The limits and waits that pets processes tell each other. Below XDG_STATE_HOME where that is set; on macOS below ~/Library/Application Support, on Windows below %LOCALAPPDATA%. What is deleted is learnt anew; but whoever deletes it during a wait may send too early.",
      ],
      [
        "~/.local/state/pets/bulk",
        "Beside it: the journals of `pets add --from`, by which a run that was stopped goes on. Whoever deletes them may add animals twice.",
      ],
    ],
  },
  "All of these can be read by their owner alone. Compiled code, which makes later starts faster, is kept in ~/.cache/pets, below XDG_CACHE_HOME where that is set (on macOS below ~/Library/Caches, on Windows below %LOCALAPPDATA%), or where NODE_COMPILE_CACHE says; it may be deleted at any time.",
];
