import type { Socket } from "node:net";

/** Keeps the connections that are left hanging, until they are released: then, and from then on, they are closed. */
export function heldConnections() {
  const hanging = new Set<Socket>();
  let isOver = false;
  return {
    hang: (connection: Socket): void => {
      // One whose client left in the middle of a body is never closed by it again.
      if (isOver || connection.readableEnded) connection.destroy();
      hanging.add(connection);
      connection.once("close", () => hanging.delete(connection));
    },
    release: (): void => {
      isOver = true;
      for (const connection of hanging) connection.destroy();
    },
  };
}
