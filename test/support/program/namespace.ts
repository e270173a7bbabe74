import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { singleQuote as quote } from "../../../src/core/shell-quote.ts";
import { temporaryFolder } from "./program.ts";

const unshare = ["unshare", "--net", "--mount"] as const;

/** Whether a network of the test's own can be made. If not, prints on standard error that tests are skipped. */
export function hasNamespaces(): boolean {
  const [command, ...flags] = unshare;
  const { status } = spawnSync(command, [...flags, "ip", "link", "set", "lo", "up"]);
  if (status !== 0) console.warn("skipped: the tests that need a network namespace of their own");
  return status === 0;
}

const unsharePids = ["unshare", "--pid", "--fork"] as const;

/** Whether a process can be the first of a PID namespace. If not, prints on standard error that tests are skipped. */
export function hasPidNamespaces(): boolean {
  const [command, ...flags] = unsharePids;
  const { status } = spawnSync(command, [...flags, "true"]);
  const isPossible = status === 0 && existsSync(childrenOf(process.pid));
  if (!isPossible) console.warn("skipped: the tests that need a PID namespace of their own");
  return isPossible;
}

/** Returns the file that has the ids of the children of a process (proc(5)). */
export function childrenOf(pid = 0): string {
  return `/proc/${pid}/task/${pid}/children`;
}

/** Returns a command that runs `command` as the first process of a PID namespace, as its only child. */
export function inPidNamespace(command: readonly string[]): [string, ...string[]] {
  return [...unsharePids, ...command];
}

/**
 * Returns a server on port 8080 that responds `[]`, for as long as the process lives that started it. For the first `busyMs`
 * its queue is full: a client connects a second later, as over a slow network.
 */
const server = (busyMs: number): string => `
  const fill = () => {
    for (let n = 0; n < 3; n += 1) require("node:net").connect(8080, "127.0.0.1");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${busyMs});
  };
  const http = require("node:http").createServer((_, response) => response.end("[]"));
  http.listen({ port: 8080, host: "0.0.0.0", backlog: 1 }, () => {
    console.log();
    if (${busyMs} > 0) fill();
  });
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || process.exit(), 50);
`;

/**
 * Returns a command that runs `command` in a network of its own, with a server on port 8080. Nothing responds at 10.9.9.x,
 * its name server included, and fd99::x; `hosts` are lines of /etc/hosts.
 */
export function inNamespace(
  command: readonly string[],
  { hosts = [], busyMs = 0 }: { readonly hosts?: readonly string[]; readonly busyMs?: number } = {},
): [string, ...string[]] {
  const folder = temporaryFolder();
  const mount = (name: string, text: string): string => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    return `mount --bind ${quote(file)} /etc/${name}`;
  };
  const ready = quote(path.join(folder, "ready"));
  const lines = [
    "set -e",
    "ip link set lo up",
    "ip route add 10.9.9.0/24 dev lo",
    "ip -6 route add fd99::/64 dev lo",
    mount("resolv.conf", "nameserver 10.9.9.9\noptions timeout:30\n"),
    mount("hosts", `127.0.0.1 localhost\n${hosts.map((line) => `${line}\n`).join("")}`),
    `mkfifo ${ready}`,
    `${quote(process.execPath)} -e ${quote(server(busyMs))} > ${ready} &`,
    `read -r _ < ${ready}`,
    'exec "$@"',
  ];
  return [...unshare, "sh", "-c", lines.join("\n"), "sh", ...command];
}
