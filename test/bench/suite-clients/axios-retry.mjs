import axios from "axios";
import axiosRetry from "axios-retry";
import { drive } from "./drive.mjs";

const client = axios.create({ timeout: 2_000, transformResponse: (text) => text });
axiosRetry(client, {
  retries: 3,
  retryDelay: axiosRetry.exponentialDelay,
  shouldResetTimeout: true,
});
await drive(
  async (url, { body, ...options }) => (await client({ url, data: body, ...options })).data,
);
