import { petJson } from "../api/pet-json.ts";
import { type EndedRequest, hasFailed, isLost, mayFollow } from "./facts.ts";

/** Returns the groups of POSTs that added one animal: each follows an equal one whose client could not know its outcome. */
export function findDuplicates<Request extends EndedRequest>(
  requests: readonly Request[],
): readonly (readonly Request[])[] {
  const adds = requests.filter(({ added }) => added !== undefined);
  const textOf = ({ key, added }: Request) => `${key} ${added && petJson(0n, added.pet)}`;
  return chainsOf(adds, textOf, isLost)
    .map(({ links }) => links)
    .filter(({ length }) => length > 1);
}

/** Returns the GETs that `failed`, and that no equal one followed until one was answered. */
export function findAbandoned<Request extends EndedRequest>(
  requests: readonly Request[],
  failed = hasFailed,
): readonly Request[] {
  const reads = requests.filter(({ method }) => method === "GET");
  return chainsOf(reads, ({ key, target }) => `${key} ${target}`, failed)
    .filter(({ isOpen }) => isOpen)
    .flatMap(({ links }) => links);
}

/** Requests that each were sent because the one before had failed. */
interface Chain<Request> {
  readonly links: Request[];
  last: Request;
  /** Whether the last one failed as well. */
  isOpen: boolean;
}

/** Returns `requests` as chains of those with the same text. */
export function chainsOf<Request extends EndedRequest>(
  requests: readonly Request[],
  textOf: (request: Request) => string,
  failed: (request: EndedRequest) => boolean,
): readonly Chain<Request>[] {
  const inOrder = requests.toSorted((one, other) => one.arrivedAt - other.arrivedAt);
  return [...Map.groupBy(inOrder, textOf).values()].flatMap((equal) => {
    const chains: Chain<Request>[] = [];
    const open = new Set<Chain<Request>>();
    for (const request of equal) {
      const known = open.values().find(({ last }) => mayFollow(request, last));
      const chain = known ?? { links: [], last: request, isOpen: true };
      if (known === undefined) chains.push(chain);
      chain.links.push(request);
      chain.last = request;
      chain.isOpen = failed(request);
      if (chain.isOpen) open.add(chain);
      else open.delete(chain);
    }
    return chains;
  });
}
