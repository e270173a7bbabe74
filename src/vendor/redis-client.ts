export { createClient } from "@redis/client";
