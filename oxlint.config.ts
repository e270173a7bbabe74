import { defineConfig } from "oxlint";

/** The rooms of `src`, lowest first: each imports rooms of earlier rows, and none of its own row. */
const rows = [
  ["core"],
  ["platform"],
  ["config", "rate-limiter"],
  ["client"],
  ["imports", "output", "server"],
  ["help"],
  ["completion"],
  ["commands"],
  ["cli"],
];

/** The same below `server`, where `store.ts` joins them. */
const serverRows = [
  ["api"],
  ["openapi", "rate-limits", "seed"],
  ["storage"],
  ["http"],
  ["judge"],
  ["routes"],
  ["lab", "request-log"],
  ["page"],
];

/** What else a folder does not import. */
const inner: Readonly<Record<string, readonly string[]>> = {
  "client/http/**": ["../*.ts", "../retry/**"],
  "rate-limiter/rules/**": ["../*.ts", "../log/**"],
  "rate-limiter/log/*.ts": ["../*.ts", "./files/**", "./redis/**"],
  "rate-limiter/log/files/**": ["../../*.ts", "../redis/**"],
  "rate-limiter/log/redis/**": ["../../*.ts", "../files/**"],
  "server/lab/**": ["**/judge/**"],
  "server/request-log/**": ["**/judge/**"],
  "server/page/**": ["**/judge/**", "**/lab/**", "!**/lab/fault-spec.ts"],
};

const everywhere = ["**/build/**", "**/main.ts", "node:process"];

/** Returns the patterns of the rooms that `room` does not import. */
function closedTo(room: string, table: readonly string[][]): readonly string[] {
  const own = table.findIndex((row) => row.includes(room));
  const others = own < 0 ? [] : table.slice(own).flat();
  return others.filter((other) => other !== room).map((other) => `**/${other}/**`);
}

/** Of overlapping overrides only the last one counts: each holds the rules of the folders around it. */
function restrictImports(folder: string) {
  const [room = "", part = ""] = folder.split("/");
  const patterns = [
    ...closedTo(room, rows),
    ...everywhere,
    ...(room === "server" && part !== "**"
      ? [...closedTo(part, serverRows), "**/server/store.ts"]
      : []),
    ...(inner[folder] ?? []),
  ];
  const files = [`src/${folder}`];
  return { files, rules: { "no-restricted-imports": ["error", { patterns }] } } as const;
}

const folders = [
  ...rows.flat().map((room) => `${room}/**`),
  ...serverRows.flat().map((room) => `server/${room}/**`),
  ...Object.keys(inner),
];

export default defineConfig({
  plugins: ["typescript", "unicorn", "oxc", "import", "promise", "vitest"],
  categories: { correctness: "error", suspicious: "error", perf: "error" },
  options: { typeAware: true },
  rules: {
    "no-console": "error",
    "no-restricted-globals": ["error", "process", "console"],
    "no-await-in-loop": "off",
    "no-control-regex": "off",
    "unicorn/no-array-sort": "off",
    "max-lines": ["error", { max: 400, skipBlankLines: true, skipComments: true }],
    "max-lines-per-function": ["error", { max: 80 }],
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/switch-exhaustiveness-check": "error",
    eqeqeq: "error",
    "import/no-cycle": ["error", { ignoreTypes: false }],
  },
  overrides: [
    {
      files: ["test/**"],
      rules: {
        "max-lines-per-function": "off",
        "max-lines": "off",
        "no-restricted-globals": "off",
        "no-console": "off",
        "typescript/no-unsafe-type-assertion": "off",
      },
    },
    {
      files: ["src/main.ts", "src/build/**", "bin/**"],
      rules: { "no-restricted-globals": ["error", "console"] },
    },
    ...folders.map(restrictImports),
  ],
});
