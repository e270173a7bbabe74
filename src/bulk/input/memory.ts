import { setFlagsFromString } from "node:v8";

/**
 * Keeps V8 from giving more room to what is new as more of it is made. Rows live for an instant:
 * more room saves no time, and takes up to 60 MB.
 */
export function limitYoungGeneration(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}
