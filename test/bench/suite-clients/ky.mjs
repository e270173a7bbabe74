import ky from "ky";
import { drive } from "./drive.mjs";

const client = ky.create({ timeout: 10_000, retry: 3 });
await drive((url, options) => client(url, options).text());
