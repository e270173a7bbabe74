const ipv4Loopback = /^127(?:\.\d{1,3}){3}$/;

/**
 * Returns whether `hostname` is a loopback address or name: 127.0.0.0/8, ::1 (also as an IPv4-mapped address),
 * `localhost` and names below it (RFC 6761, 6.3). It is spelled as in `URL.hostname`: lower case, IPv4
 * in four decimal parts, IPv6 shortened and in brackets.
 */
export function isLoopbackHost(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  if (name === "localhost" || name.endsWith(".localhost")) return true;
  // `::ffff:7f00:0` to `::ffff:7fff:ffff` are 127.0.0.0/8 as URL writes it.
  return ipv4Loopback.test(name) || name === "[::1]" || /^\[::ffff:7f[\da-f]{2}:/.test(name);
}
