export { LocalStore } from "./local-store.ts";
export { PetsClient } from "./pets-client.ts";
