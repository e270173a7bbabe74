import { ban } from "./ban.ts";
import { connectionClosed } from "./connection-closed.ts";
import { get429Date } from "./get-429-date.ts";
import { get429NoHeader } from "./get-429-no-header.ts";
import { get429Seconds } from "./get-429-seconds.ts";
import { get429Twice } from "./get-429-twice.ts";
import { get500 } from "./get-500.ts";
import { get502Html } from "./get-502-html.ts";
import { get503 } from "./get-503.ts";
import { get503RetryAfter } from "./get-503-retry-after.ts";
import { get504 } from "./get-504.ts";
import { getHang } from "./get-hang.ts";
import { getReset } from "./get-reset.ts";
import { getTruncated } from "./get-truncated.ts";
import { interimResponse } from "./interim-response.ts";
import { post429NoHeader } from "./post-429-no-header.ts";
import { post429Seconds } from "./post-429-seconds.ts";
import { postRefused503 } from "./post-refused-503.ts";
import { postStored500 } from "./post-stored-500.ts";
import { postStored502Html } from "./post-stored-502-html.ts";
import { postStoredHang } from "./post-stored-hang.ts";
import { postStoredReset } from "./post-stored-reset.ts";
import { postStoredTruncated } from "./post-stored-truncated.ts";
import { slowResponse } from "./slow-response.ts";
import { unauthorized } from "./unauthorized.ts";
import { windowUsedUp } from "./window-used-up.ts";
import type { Scenario } from "../scenario.ts";

/** All scenarios of the suite, in the order in which they run: a new one is a file here, and a line. */
export const scenarios: readonly Scenario[] = [
  get429Seconds,
  get429Date,
  get429NoHeader,
  get429Twice,
  post429Seconds,
  post429NoHeader,
  windowUsedUp,
  ban,
  unauthorized,
  get500,
  get502Html,
  get503,
  get503RetryAfter,
  get504,
  getReset,
  getTruncated,
  getHang,
  postStoredReset,
  postStoredTruncated,
  postStoredHang,
  postStored500,
  postStored502Html,
  postRefused503,
  connectionClosed,
  slowResponse,
  interimResponse,
];
