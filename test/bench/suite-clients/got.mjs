import got from "got";
import { drive } from "./drive.mjs";

const client = got.extend({ timeout: { response: 2_000 } });
await drive((url, options) => client(url, options).text());
