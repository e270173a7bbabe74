// Runs `pets serve --suite` on ten clients that many use, and prints the table of README.md.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { script } from "../support/program/program.ts";

/** The npm packages of the clients, which are installed for this run alone. */
const packages = {
  got: "14.6.6",
  axios: "1.21.1",
  "axios-retry": "4.5.0",
  ky: "1.14.3",
  undici: "8.12.4",
  "p-retry": "7.1.1",
  "@octokit/core": "7.0.8",
  "@octokit/plugin-retry": "8.1.1",
  "@octokit/plugin-throttling": "11.0.5",
  bottleneck: "2.19.5",
  "fetch-retry": "6.0.0",
};

const node = process.execPath;
const clients: readonly (readonly [title: string, program: string, file: string])[] = [
  [`curl ${versionOf("curl", ["--version"])} \`--retry\``, "sh", "curl.sh"],
  [`got ${packages.got}`, node, "got.mjs"],
  [`axios-retry ${packages["axios-retry"]}`, node, "axios-retry.mjs"],
  [`ky ${packages.ky}`, node, "ky.mjs"],
  [`undici ${packages.undici} RetryAgent`, node, "undici.mjs"],
  [`p-retry ${packages["p-retry"]} with fetch`, node, "p-retry.mjs"],
  [`Octokit throttling ${packages["@octokit/plugin-throttling"]}`, node, "octokit.mjs"],
  [`Bottleneck ${packages.bottleneck} with fetch`, node, "bottleneck.mjs"],
  [`fetch-retry ${packages["fetch-retry"]}`, node, "fetch-retry.mjs"],
  [
    `urllib3 ${versionOf("python3", ["-c", "import urllib3; print(urllib3.__version__)"])}`,
    "python3",
    "urllib3-retry.py",
  ],
];

/** Returns the version that a program prints. */
function versionOf(program: string, args: readonly string[]): string {
  const { stdout } = spawnSync(program, args, { encoding: "utf8" });
  return /\d+\.\d+(?:\.\d+)?/.exec(stdout ?? "")?.[0] ?? "(not installed)";
}

/** Runs the suite on a client; returns its line of the table. */
async function judge(
  [title, program, file]: (typeof clients)[number],
  folder: string,
): Promise<string> {
  const words = [
    script,
    "serve",
    "--suite",
    "--json",
    "-q",
    "--",
    program,
    path.join(folder, file),
  ];
  const env = { PATH: process.env.PATH ?? "", HOME: folder, TMPDIR: tmpdir() };
  const child = spawn(node, words, { env, stdio: ["ignore", "pipe", "ignore"] });
  let text = "";
  for await (const chunk of child.stdout) text += String(chunk);
  const results: readonly { scenario: string; result: string }[] = JSON.parse(text);
  const failed = results.filter(({ result }) => result === "failed");
  const passed = results.filter(({ result }) => result === "passed").length;
  const names = failed.map(({ scenario }) => `\`${scenario}\``).join(", ");
  return `| ${title} | ${passed} | ${failed.length} | ${names} |`;
}

const folder = mkdtempSync(path.join(tmpdir(), "pets-suite-bench-"));
try {
  cpSync(path.join(import.meta.dirname, "suite-clients"), folder, { recursive: true });
  const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  const install = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder];
  spawnSync("npm", [...install, ...wanted], { stdio: "inherit" });
  const lines: string[] = [];
  const left = clients.entries();
  // Most of it is waiting.
  const worker = async (): Promise<void> => {
    for (const [place, client] of left) {
      lines[place] = await judge(client, folder);
      console.error(lines[place]);
    }
  };
  await Promise.all([worker(), worker(), worker()]);
  console.log(["| client | passed | failed | which |", ...lines].join("\n"));
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
