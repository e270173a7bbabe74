import { faultKinds, type FaultKind } from "../../../../core/enums.ts";

/** The faults in force, as `GET /_store/faults` returns them. */
export interface FaultTexts {
  readonly fault: string;
  readonly latency: string;
}

/** A fault's switch: whether it is on, and the share of requests that it then affects, in percent. */
interface FaultSwitch {
  readonly isOn: boolean;
  readonly percent: number;
}

/** What the form shows. */
export interface FaultForm {
  readonly faults: Readonly<Record<FaultKind, FaultSwitch>>;
  readonly latency: { readonly isOn: boolean; readonly ms: number; readonly jitter: number };
}

const defaultPercent = 10;
const defaultLatency = { ms: 200, jitter: 100 };

/** Returns the form for the faults in force; a switch that is off keeps the numbers of `previous`. */
export function readForm({ fault, latency }: FaultTexts, previous?: FaultForm): FaultForm {
  const shares = new Map(fault.split(",").map((part) => split(part, ":")));
  const switchOf = (kind: FaultKind): FaultSwitch => {
    const part = Number(shares.get(kind) ?? 0);
    const percent = previous?.faults[kind].percent ?? defaultPercent;
    return part > 0
      ? { isOn: true, percent: Math.round(part * 10_000) / 100 }
      : { isOn: false, percent };
  };
  const [ms, jitter] = split(latency, "±").map((text) => Number(text ?? 0));
  const isLate = (ms ?? 0) > 0 || (jitter ?? 0) > 0;
  return {
    faults: {
      429: switchOf("429"),
      500: switchOf("500"),
      reset: switchOf("reset"),
      truncate: switchOf("truncate"),
      hang: switchOf("hang"),
    },
    latency: isLate
      ? { isOn: true, ms: ms ?? 0, jitter: jitter ?? 0 }
      : { ...(previous?.latency ?? defaultLatency), isOn: false },
  };
}

/** Returns the body of `POST /_store/faults` for `form`. */
export function formTexts({ faults, latency }: FaultForm): FaultTexts {
  const on = faultKinds.filter((kind) => faults[kind].isOn && faults[kind].percent > 0);
  return {
    fault: on.map((kind) => `${kind}:${share(faults[kind].percent)}`).join(","),
    latency: latency.isOn ? `${Math.round(latency.ms)}±${Math.round(latency.jitter)}` : "",
  };
}

/** Returns a share of 1 as plain digits, without an exponent. */
function share(percent: number): string {
  return (percent / 100).toFixed(4).replace(/\.?0+$/, "");
}

function split(text: string, separator: string): [string, string | undefined] {
  const [first = "", second] = text.split(separator);
  return [first, second];
}
