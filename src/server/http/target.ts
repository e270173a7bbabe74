const absoluteForm = /^https?:\/\/[^/?#]*/i;

/**
 * A request target as path and query. The absolute form loses its scheme and authority (RFC 9112,
 * 3.2.2: a server has to accept it); what is no path at all becomes one that leads nowhere.
 */
export function normalizeTarget(target: string): string {
  if (target.startsWith("/") && !target.includes("\\")) return target;
  const local = target.replace(absoluteForm, "");
  if (!local.startsWith("/")) return local === target ? "/*" : `/${local}`;
  // The URL parser would take a backslash in a path for a slash.
  const [path = "", ...query] = local.split("?");
  return path.includes("\\") ? [path.replaceAll("\\", "%5C"), ...query].join("?") : local;
}
