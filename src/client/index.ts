export { openLocalStore } from "./local-store.ts";
export { createPetsApi } from "./pets-client.ts";
