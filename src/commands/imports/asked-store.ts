import type { ServiceConnection } from "../../config/connection.ts";
import type { Context } from "../context.ts";
import type { ClientOverrides } from "../service.ts";

export type AskedStore = Awaited<ReturnType<typeof askedStore>>;

/** Returns a client of the service that knows which store responds: what is recorded of another one does not count. */
export async function askedStore(
  context: Pick<Context, "service">,
  connection: ServiceConnection,
  overrides: ClientOverrides = {},
) {
  let storeId: string | undefined;
  const api = await context.service.api({
    ...overrides,
    connection,
    onEvent: (event) => {
      if (event.type === "reply") ({ storeId } = event);
    },
  });
  return {
    api,
    /** Sends one request, and returns the id of the store that responds, if it tells it. */
    async ask(): Promise<string | undefined> {
      await api.list({ limit: 1 });
      return storeId;
    },
    /** Returns the id that the last response told. */
    id: () => storeId,
  };
}
