import { type FaultKind, faultKinds } from "../../../../core/enums.ts";
import { type FaultShares, parseFaults, parseLatency } from "../../../lab/fault-spec.ts";
import { info, settings } from "../connection.ts";
import { Empty } from "../parts.tsx";
import { ClockCard } from "./clock-card.tsx";
import { latencyText, shareText, toPercent } from "./fault-form.ts";
import { ResetCard } from "./reset-card.tsx";
import { ScriptCard } from "./script-card.tsx";
import { SwitchRow } from "./switch-row.tsx";

const kinds: Record<FaultKind, readonly [title: string, text: string]> = {
  429: ["429", "responds with 429 and Retry-After: 1"],
  500: ["500", "responds with 500; the animal may have been added"],
  reset: ["Reset", "closes the connection without a response"],
  truncate: ["Truncate", "cuts the response off"],
  hang: ["Hang", "never responds"],
};

/** The faults of the store, and its reset. */
export function FaultsView() {
  const isLab = info.value?.lab ?? false;
  return (
    <section aria-labelledby="faults-title">
      <h2 id="faults-title">Faults</h2>
      {isLab ? (
        <Lab />
      ) : (
        <Empty title="Faults are off">
          <p>
            To make requests fail and to reset the store, start it with{" "}
            <code>pets serve --lab</code> or <code>--memory</code>.
          </p>
        </Empty>
      )}
    </section>
  );
}

function Lab() {
  const inForce = settings.faults.value;
  if (inForce === undefined) return null;
  const shares: FaultShares = parseFaults(inForce.fault) ?? new Map();
  const { ms = 0, jitter = 0 } = parseLatency(inForce.latency) ?? {};
  return (
    <>
      <p class="note">Each switch makes a share of requests fail, starting with the next one.</p>
      <ul class="switches">
        {faultKinds.map((kind) => (
          <SwitchRow
            key={kind}
            title={kinds[kind][0]}
            text={kinds[kind][1]}
            fields={[[`${kinds[kind][0]}: percent of requests`, "%"]]}
            initial={[10]}
            inForce={[toPercent(shares.get(kind) ?? 0)]}
            changeOf={([percent = 0]) => ({ change: shareText(shares, kind, percent) })}
          />
        ))}
        <SwitchRow
          title="Latency"
          text="delays every response"
          fields={[
            ["Latency in milliseconds", "ms"],
            ["Latency: plus or minus up to, in milliseconds", "± ms"],
          ]}
          initial={[200, 100]}
          inForce={[ms, jitter]}
          changeOf={([mean = 0, spread = 0]) => ({
            latency: latencyText({ ms: mean, jitter: spread }),
          })}
        />
      </ul>
      <div class="switches">
        <ClockCard />
        <ScriptCard />
      </div>
      <ResetCard />
    </>
  );
}
