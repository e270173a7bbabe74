import { BlockList, isIP } from "node:net";

/**
 * Whether a `no_proxy` list covers `target`, by curl's rules: entries parted by commas or spaces,
 * each a host name that stands for itself and what is below it (with or without a leading dot), an
 * IP address, a range of them (`10.0.0.0/8`), any of these with `:port`, or `*` for everything.
 */
export function isExempt(target: URL, list: string): boolean {
  const host = stripBrackets(target.hostname);
  const port = target.port || (target.protocol === "https:" ? "443" : "80");
  const entries = list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "");
  return entries.some((entry) => {
    if (entry === "*") return true;
    const [, name = entry, entryPort] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
    return (entryPort === undefined || entryPort === port) && matches(stripBrackets(name), host);
  });
}

/** A host name without the brackets of an IPv6 address and without the root's dot. */
function stripBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1").replace(/(?<=.)\.$/, "");
}

function matches(entry: string, host: string): boolean {
  const version = isIP(host);
  if (version === 0) {
    const name = entry.replace(/^\*?\./, "");
    return name !== "" && (host === name || host.endsWith(`.${name}`));
  }
  return isInRange(host, version === 4 ? "ipv4" : "ipv6", entry);
}

function isInRange(address: string, family: "ipv4" | "ipv6", entry: string): boolean {
  const [network = "", prefix = family === "ipv4" ? "32" : "128"] = entry.split("/");
  if (isIP(network) !== isIP(address) || !/^\d{1,3}$/.test(prefix)) return false;
  if (Number(prefix) > (family === "ipv4" ? 32 : 128)) return false;
  const range = new BlockList();
  range.addSubnet(network, Number(prefix), family);
  return range.check(address, family);
}
