export { Client, Pool, Result } from "pg";
