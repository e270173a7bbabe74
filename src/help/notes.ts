import { localProfile } from "../config/profiles/profiles.ts";
import { waitReasons } from "../output/limits.ts";
import type { Block } from "./blocks.ts";
import { topics } from "./topics/index.ts";

/** What is worth knowing of `pets add`. */
const addNotes: readonly Block[] = [
  "One animal needs --name and --category; on a terminal they are asked for.",
  "Many animals: --from reads NDJSON, a JSON array, or CSV with the columns name, categoryId and status. It checks every row before it sends the first one, keeps to the limits, and writes down what it sends. So when it was stopped, however that was, the same command goes on where it ended, and sends nothing twice.",
  "Each row ends as one of these:",
  {
    terms: [
      ["added", "the animal is there"],
      ["rejected", "the service refused it, and would again; it is not sent again"],
      [
        "unknown",
        "no answer came: it may have been added. It is only sent again with --retry-unknown, and may then be there twice",
      ],
      ["not sent", "the run was stopped before: the same command sends it"],
    ],
  },
  "Exit codes: what stopped a run decides (4, 5, 6, 7, 130, 143); else 9 where not all were added.",
];

/** How to install what `pets completion` prints. */
const completionNotes: readonly Block[] = [
  "The first line of each is for the shell that runs, what follows it for all to come.",
  'bash (on macOS, whose own is old, with `eval "$(pets completion bash)"` in both):',
  {
    lines: ["source <(pets completion bash)", "echo 'source <(pets completion bash)' >> ~/.bashrc"],
  },
  "zsh:",
  {
    lines: ["source <(pets completion zsh)", "echo 'source <(pets completion zsh)' >> ~/.zshrc"],
  },
  "Or as a file `_pets` in a folder of $fpath: `pets completion zsh > _pets` there.",
  "fish:",
  {
    lines: [
      "pets completion fish | source",
      "echo 'pets completion fish | source' >> ~/.config/fish/config.fish",
    ],
  },
  "PowerShell:",
  {
    lines: [
      "pets completion powershell | Out-String | Invoke-Expression",
      "if (!(Test-Path $PROFILE)) { New-Item -ItemType File -Force $PROFILE }",
      "Add-Content $PROFILE 'pets completion powershell | Out-String | iex'",
    ],
  },
  "At Tab the script runs pets only for the names of profiles.",
];

const names = Object.keys(topics).join(", ");

/** What is worth knowing of a command beside what it takes, by its path as in `examples`. */
export const notes: Readonly<Record<string, readonly Block[]>> = {
  "": [
    "With `pets serve` you have a store of your own to try all this on; with another service begin with `pets login`.",
    "A duration is a number of seconds, or a number with ms, s, m or h, as in 90, 500ms or 3m.",
    `More: \`pets help <command>\`, and \`pets help <topic>\` with ${names}.`,
  ],
  add: addNotes,
  get: ["The service removes this on 5 December 2030; `pets list --status` replaces it."],
  login: [
    `The key is read from standard input, or asked for on a terminal. It is tried with one request before anything is kept. The profile is the one of --profile, else of PETS_PROFILE, else the current one, else \`default\`. Where the current one is \`${localProfile}\`, which \`pets serve\` keeps, a service elsewhere is kept in \`default\`.`,
  ],
  logout: [
    "The base URL stays. The profile is the one of --profile, else of PETS_PROFILE, else the current one.",
  ],
  profile: ["Without a command it lists them. Keys are only ever shown masked."],
  "profile remove": ["Where it was the current one, none is current afterwards."],
  limits: [
    "Without --refresh nothing is sent: it tells what the pets processes of this user have seen with the same key. The fields; those that don't apply are left out:",
    {
      terms: [
        ["limit", "how many requests the service allows at a time"],
        ["remaining", "how many of them were left"],
        ["resetAt", 'when it counts anew; once that is past, "remaining" is old'],
        ["waitUntil", "until when requests are held back, where that is known"],
        ["waitReason", "why they are; without it, a request may be sent now"],
        ["seenAt", "when the service told limit, remaining and reset"],
      ],
    },
    "What waitReason may be:",
    { terms: Object.entries(waitReasons) },
  ],
  serve: [
    "With `-- command` the store takes a free port, keeps all in memory unless told otherwise, and stops when the command ends. The command finds `pets` on its PATH, and the store in PETS_BASE_URL and PETS_API_KEY; its exit code is that of `pets serve`.",
    "A lab also does what clients on this machine ask for, with a valid key: by the header X-Pets-Fault (429, 500, reset, truncate, hang or delay=MS) on a request, GET /_store/state, POST /_store/faults and POST /_store/reset. A reset leaves nothing but the animals of --seed, in a data file too.",
  ],
  keys: [
    "Without a command it lists them. The store may run meanwhile: a change holds from its next request on.",
  ],
  completion: completionNotes,
  help: [`Topics: ${names}.`],
};
