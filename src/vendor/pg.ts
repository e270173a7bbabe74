export { Client, Pool } from "pg";
