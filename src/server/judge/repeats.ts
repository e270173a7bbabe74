import { petJson } from "../api/pet-json.ts";
import { type EndedRequest, groupByText, hasFailed, isLost, mayFollow } from "./facts.ts";

/**
 * Returns the groups of POSTs that added one animal several times. A POST adds it again if it follows an
 * equal one with the same key whose client could not know that its animal had been added. Each such loss
 * explains one later POST; any other equal POST adds another animal of the same name.
 */
export function findDuplicates<Request extends EndedRequest>(
  requests: readonly Request[],
): readonly (readonly Request[])[] {
  const adds = requests.filter(({ added }) => added !== undefined);
  const textOf = ({ key, added }: Request) => `${key} ${added && petJson(0n, added.pet)}`;
  return chainsOf(adds, textOf, isLost)
    .map(({ links }) => links)
    .filter(({ length }) => length > 1);
}

/** Returns the GETs that failed, and that no equal one followed until one was answered. */
export function findAbandoned<Request extends EndedRequest>(
  requests: readonly Request[],
): readonly Request[] {
  const reads = requests.filter(({ method }) => method === "GET");
  return chainsOf(reads, ({ key, target }) => `${key} ${target}`, hasFailed)
    .filter(({ isOpen }) => isOpen)
    .flatMap(({ links }) => links);
}

/** Requests that each were sent because the one before had failed. */
interface Chain<Request> {
  readonly links: Request[];
  /** Whether the last one failed as well. */
  isOpen: boolean;
}

/** Returns `requests` as chains of those with the same text. */
export function chainsOf<Request extends EndedRequest>(
  requests: readonly Request[],
  textOf: (request: Request) => string,
  failed: (request: EndedRequest) => boolean,
): readonly Chain<Request>[] {
  return groupByText(requests, textOf).flatMap((equal) => chain(equal, failed));
}

/** Returns equal requests, given in the order in which they were received, as chains. */
function chain<Request extends EndedRequest>(
  requests: readonly Request[],
  failed: (request: EndedRequest) => boolean,
): readonly Chain<Request>[] {
  const chains: Chain<Request>[] = [];
  const open = new Set<Chain<Request>>();
  for (const request of requests) {
    const found = findChain(open, request) ?? { links: [], isOpen: true };
    if (found.links.length === 0) chains.push(found);
    found.links.push(request);
    found.isOpen = failed(request);
    if (found.isOpen) open.add(found);
    else open.delete(found);
  }
  return chains;
}

function findChain<Request extends EndedRequest>(
  open: ReadonlySet<Chain<Request>>,
  request: Request,
): Chain<Request> | undefined {
  for (const chained of open) {
    const last = chained.links.at(-1);
    if (last !== undefined && mayFollow(request, last)) return chained;
  }
  return undefined;
}
