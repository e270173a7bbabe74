import type { SecondCounts } from "../../../request-log/types.ts";
import { chartSeconds, currentSecond, type Feed, outcomes, totalCount } from "./feed.ts";

const [height, barWidth] = [44, 6];

/** The requests of the last minute, one bar per second, coloured by how they ended. */
export function RateChart({ feed }: { feed: Feed }) {
  const { seconds } = feed;
  const now = currentSecond(feed);
  const bars = Array.from({ length: chartSeconds }, (_, at) => now - chartSeconds + 1 + at);
  const highest = Math.max(1, ...[...seconds.values()].map(totalCount));
  return (
    <figure aria-hidden="true">
      <svg
        class="chart"
        viewBox={`0 0 ${chartSeconds * barWidth} ${height}`}
        preserveAspectRatio="none"
      >
        {bars.map((second, at) => (
          <Bar
            key={second}
            x={at * barWidth}
            counts={seconds.get(second) ?? {}}
            highest={highest}
          />
        ))}
      </svg>
      <figcaption class="row apart">
        <span>a minute ago</span>
        <span>now</span>
      </figcaption>
    </figure>
  );
}

function Bar({ x, counts, highest }: { x: number; counts: SecondCounts; highest: number }) {
  let bottom = height;
  return (
    <>
      <rect class="rest" x={x} y={height - 1} width={barWidth - 1} height={1} />
      {outcomes.map((outcome) => {
        const part = ((counts[outcome] ?? 0) / highest) * height;
        bottom -= part;
        return part === 0 ? null : (
          <rect key={outcome} class={outcome} x={x} y={bottom} width={barWidth - 1} height={part} />
        );
      })}
    </>
  );
}
