import { type Answer, errorBody, reply, startStranger } from "./stranger.ts";

export interface ShopPet {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  readonly status?: string;
}

/** Starts a small service of a third party that adds and lists animals, and may send the id of its store. */
export async function startShop(id?: string) {
  const shop = {
    baseUrl: "",
    /** The value of `X-Pets-Store`. */
    storeId: id,
    pets: [] as ShopPet[],
    gets: [] as string[],
    posts: 0,
    /** Answers a request instead of the shop; returns whether it did. */
    intercept: (..._request: Parameters<Answer>): boolean => false,
    /** Answers the POST of the animal with this name in another way. */
    on(name: string, answer: Answer): void {
      shop.intercept = (request, response, n) => {
        const isIt = request.method === "POST" && JSON.parse(request.body).name === name;
        if (isIt) answer(request, response, n);
        return isIt;
      };
    },
    /** Returns the names of all animals, in the order in which they were added. */
    names: (): string[] => shop.pets.map(({ name }) => name),
    add(body: string): ShopPet {
      const pet = { id: 1 + (shop.pets.at(-1)?.id ?? 0), ...JSON.parse(body) } as ShopPet;
      shop.pets.push(pet);
      return pet;
    },
  };
  const { baseUrl } = await startStranger((request, response, n) => {
    const { method, url, body } = request;
    if (method === "GET") shop.gets.push(url);
    else shop.posts += 1;
    if (shop.intercept(request, response, n)) return;
    const said = shop.storeId === undefined ? {} : { "X-Pets-Store": shop.storeId };
    response.writeHead(method === "GET" ? 200 : 201, {
      "content-type": "application/json",
      ...said,
    });
    response.end(JSON.stringify(method === "GET" ? listed(shop.pets, url) : shop.add(body)));
  });
  return Object.assign(shop, { baseUrl });
}

/** Returns an answer of the store `store-1` with an error, by default with an Error body. */
export const failing = (status: number, text = errorBody(status, "no", "No."), headers = {}) =>
  reply(status, text, { "X-Pets-Store": "store-1", ...headers });

function listed(pets: readonly ShopPet[], url: string): readonly ShopPet[] {
  const query = new URL(url, "http://shop").searchParams;
  const status = query.get("status");
  return pets
    .filter((pet) => status === null || pet.status === status)
    .toReversed()
    .slice(0, Number(query.get("limit") ?? 20));
}
