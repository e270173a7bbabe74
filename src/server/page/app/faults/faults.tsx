import { useState } from "preact/hooks";
import { type FaultKind, faultKinds } from "../../../../core/enums.ts";
import { info, loadSetting, settings } from "../connection.ts";
import {
  type FaultShares,
  formatLatency,
  type Latency,
  parseFaults,
  parseLatency,
} from "../../../lab/fault-spec.ts";
import { Empty, Problem } from "../parts.tsx";
import { useProblem } from "../use-problem.ts";
import { useValue } from "../value.ts";
import { ClockCard } from "./clock-card.tsx";
import { NumberField, Switch } from "./fault-fields.tsx";
import { latencyProblem, shareProblem, shareText, toPercent } from "./fault-form.ts";
import { ResetCard } from "./reset-card.tsx";
import { ScriptCard } from "./script-card.tsx";

const kinds: Record<FaultKind, readonly [title: string, text: string]> = {
  429: ["429", "responds with 429 and Retry-After: 1"],
  500: ["500", "responds with 500; the animal may have been added"],
  reset: ["Reset", "closes the connection without a response"],
  truncate: ["Truncate", "cuts the response off"],
  hang: ["Hang", "never responds"],
};

const defaultPercent = 10;
const defaultLatency = { ms: 200, jitter: 100 };
const noLatency = { ms: 0, jitter: 0 };

/** The faults of the store, and its reset. */
export function FaultsView() {
  const isLab = useValue(info)?.lab ?? false;
  return (
    <section aria-labelledby="faults-title">
      <h2 id="faults-title">Faults</h2>
      {isLab ? <Lab /> : <NoLab />}
    </section>
  );
}

function NoLab() {
  return (
    <Empty title="Faults are off">
      <p>
        To make requests fail and to reset the store, start it with <code>pets serve --lab</code> or{" "}
        <code>--memory</code>.
      </p>
    </Empty>
  );
}

function Lab() {
  const inForce = useValue(settings.faults);
  if (inForce === undefined) return null;
  const shares: FaultShares = parseFaults(inForce.fault) ?? new Map();
  return (
    <>
      <p class="lead">Each switch makes a share of requests fail, starting with the next one.</p>
      <ul class="switches">
        {faultKinds.map((kind) => (
          <FaultRow key={kind} kind={kind} shares={shares} />
        ))}
        <LatencyRow inForce={parseLatency(inForce.latency) ?? noLatency} />
      </ul>
      <div class="switches lab">
        <ClockCard />
        <ScriptCard />
      </div>
      <ResetCard />
    </>
  );
}

/** Changes one fault or the latency; the others may have been changed elsewhere. Throws a RequestFailure. */
function change(part: Readonly<Record<string, string>>): Promise<void> {
  return loadSetting("faults", JSON.stringify(part));
}

function FaultRow({ kind, shares }: { kind: FaultKind; shares: FaultShares }) {
  const inForce = toPercent(shares.get(kind) ?? 0);
  const [last, setLast] = useState(defaultPercent);
  const { problem, setProblem, attempt } = useProblem();
  const set = (percent: number): void => {
    const wrong = shareProblem(shares, kind, percent);
    if (wrong !== undefined) return setProblem(wrong);
    if (inForce > 0) setLast(inForce);
    void attempt(() => change({ change: shareText(kind, percent) }));
  };
  const [title, text] = kinds[kind];
  return (
    <li class="card switch-row">
      <Switch title={title} text={text} isOn={inForce > 0} onToggle={(on) => set(on ? last : 0)} />
      <div class="number-fields">
        <NumberField
          label={`${title}: percent of requests`}
          unit="%"
          value={inForce > 0 ? inForce : last}
          onChange={set}
        />
      </div>
      {problem !== undefined && <Problem>{problem}</Problem>}
    </li>
  );
}

function LatencyRow({ inForce }: { inForce: Latency }) {
  const [last, setLast] = useState<Latency>(defaultLatency);
  const { problem, setProblem, attempt } = useProblem();
  const isOn = inForce.ms > 0 || inForce.jitter > 0;
  const shown = isOn ? inForce : last;
  const set = (latency: Latency): void => {
    const wrong = latencyProblem(latency);
    if (wrong !== undefined) return setProblem(wrong);
    if (isOn) setLast(inForce);
    void attempt(() => change({ latency: formatLatency(latency) }));
  };
  return (
    <li class="card switch-row">
      <Switch
        title="Latency"
        text="delays every response"
        isOn={isOn}
        onToggle={(on) => set(on ? last : noLatency)}
      />
      <div class="number-fields">
        <NumberField
          label="Latency in milliseconds"
          unit="ms"
          value={shown.ms}
          onChange={(ms) => set({ ...shown, ms })}
        />
        <NumberField
          label="Latency: plus or minus up to, in milliseconds"
          unit="± ms"
          value={shown.jitter}
          onChange={(jitter) => set({ ...shown, jitter })}
        />
      </div>
      {problem !== undefined && <Problem>{problem}</Problem>}
    </li>
  );
}
