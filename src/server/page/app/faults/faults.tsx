import { faultKinds } from "../../../../core/enums.ts";
import { info } from "../connection.ts";
import type { FaultKind } from "../../../../core/enums.ts";
import type { FaultForm } from "./fault-form.ts";
import { NumberField, NumberFields, Switch } from "./fault-fields.tsx";
import { Empty, Problem } from "../parts.tsx";
import { ResetButton } from "./reset-button.tsx";
import { useFaults } from "./use-faults.ts";
import { useValue } from "../value.ts";

const kinds: Record<FaultKind, readonly [title: string, text: string]> = {
  429: ["429", "asks to wait 1 s, whatever the limit"],
  500: ["500", "fails; an animal may have been added"],
  reset: ["Reset", "drops the connection instead of replying"],
  truncate: ["Truncate", "cuts the reply off"],
  hang: ["Hang", "never replies"],
};

/** The faults of the store, and its reset. */
export function FaultsView() {
  const isLab = useValue(info)?.lab ?? false;
  return (
    <section aria-labelledby="faults-title">
      <h2 id="faults-title">Faults</h2>
      {isLab ? <FaultSwitches /> : <NoLab />}
    </section>
  );
}

function NoLab() {
  return (
    <Empty title="This store always behaves">
      <p>
        To let it fail on request, and to reset it, start it with <code>pets serve --lab</code> or{" "}
        <code>--memory</code>.
      </p>
    </Empty>
  );
}

function FaultSwitches() {
  const { form, problem, change, reload } = useFaults();
  if (form === undefined) return problem === undefined ? null : <Problem>{problem}</Problem>;
  const setFault = (kind: FaultKind, part: Partial<FaultForm["faults"][FaultKind]>): void =>
    change({ ...form, faults: { ...form.faults, [kind]: { ...form.faults[kind], ...part } } });
  const setLatency = (part: Partial<FaultForm["latency"]>): void =>
    change({ ...form, latency: { ...form.latency, ...part } });
  return (
    <>
      <p class="lead">Each switch makes a share of the requests fail, from the next one on.</p>
      {problem !== undefined && <Problem>{problem}</Problem>}
      <ul class="switches">
        {faultKinds.map((kind) => (
          <li key={kind} class="card switch-row">
            <Switch
              title={kinds[kind][0]}
              text={kinds[kind][1]}
              isOn={form.faults[kind].isOn}
              onToggle={(isOn) => setFault(kind, { isOn })}
            />
            <NumberFields>
              <NumberField
                label={`${kinds[kind][0]}: percent of requests`}
                unit="%"
                value={form.faults[kind].percent}
                max={100}
                onChange={(percent) => setFault(kind, { percent, isOn: percent > 0 })}
              />
            </NumberFields>
          </li>
        ))}
        <LatencySwitch latency={form.latency} onChange={setLatency} />
      </ul>
      <ResetButton onReset={reload} />
    </>
  );
}

function LatencySwitch({
  latency,
  onChange,
}: {
  readonly latency: FaultForm["latency"];
  readonly onChange: (part: Partial<FaultForm["latency"]>) => void;
}) {
  return (
    <li class="card switch-row">
      <Switch
        title="Latency"
        text="delays every reply"
        isOn={latency.isOn}
        onToggle={(isOn) => onChange({ isOn })}
      />
      <NumberFields>
        <NumberField
          label="Latency in milliseconds"
          unit="ms"
          value={latency.ms}
          max={3_600_000}
          onChange={(ms) => onChange({ ms, isOn: true })}
        />
        <NumberField
          label="more or less by up to, in milliseconds"
          unit="± ms"
          value={latency.jitter}
          max={3_600_000}
          onChange={(jitter) => onChange({ jitter, isOn: true })}
        />
      </NumberFields>
    </li>
  );
}
