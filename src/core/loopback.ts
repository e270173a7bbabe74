const ipv4Loopback = /^127(?:\.\d{1,3}){3}$/;

/** Returns whether a `URL.hostname` is loopback: 127.0.0.0/8, also mapped, ::1, `localhost`, names below it (RFC 6761). */
export function isLoopbackHost(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  if (name === "localhost" || name.endsWith(".localhost")) return true;
  // `::ffff:7f00:0` to `::ffff:7fff:ffff` are 127.0.0.0/8 as URL writes it.
  return ipv4Loopback.test(name) || name === "[::1]" || /^\[::ffff:7f[\da-f]{2}:/.test(name);
}
