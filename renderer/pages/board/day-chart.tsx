import { boardWords } from '../../words/board-words.ts';
import type { Column } from './earnings.ts';

const height = 150;
const width = 520;
const volumeHeight = 60;
/** Texts below a chart that are still apart. */
const mostTexts = 8;
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Earned and costs of each day, or of several days together, side by side; below them what was swapped. */
export function DayChart({ columns }: { columns: readonly Column[] }) {
  const most = columns.reduce((top, { earned, paid }) => Math.max(top, Number(earned), Number(paid)), 1);
  const mostVolume = columns.reduce((top, { volume }) => Math.max(top, Number(volume)), 1);
  const step = width / columns.length;
  const bar = Math.min(20, step * 0.42);
  const each = Math.ceil(columns.length / mostTexts);
  const tall = (msat: bigint) => (Number(msat) / most) * height;
  return (
    <svg
      className="chart"
      viewBox={`0 0 ${width} ${height + volumeHeight + 34}`}
      role="img"
      aria-label={boardWords.chart}
    >
      <defs>
        <pattern
          id="board-costs"
          width="5"
          height="5"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
          className="costs"
        >
          <path d="M0 0v5" />
        </pattern>
      </defs>
      <path className="line" d={`M0 ${height}H${width}`} />
      <path className="line" d={`M0 ${height + volumeHeight + 8}H${width}`} />
      {columns.map(({ begins, days, earned, paid, volume }, place) => {
        const middle = step * (place + 0.5);
        const high = (Number(volume) / mostVolume) * volumeHeight;
        return (
          <g key={begins}>
            <title>{day.formatRange(begins * 1_000, (begins + (days - 1) * 86_400) * 1_000)}</title>
            <rect className="fees" x={middle - bar - 1} y={height - tall(earned)} width={bar} height={tall(earned)} />
            <rect
              fill="url(#board-costs)"
              className="edge"
              x={middle + 1}
              y={height - tall(paid)}
              width={bar}
              height={tall(paid)}
            />
            <rect
              className="volume"
              x={middle - bar - 1}
              y={height + volumeHeight + 8 - high}
              width={2 * bar + 2}
              height={high}
            />
            {place % each === 0 ? (
              <text x={middle} y={height + volumeHeight + 26} textAnchor="middle">
                {day.format(begins * 1_000)}
              </text>
            ) : null}
          </g>
        );
      })}
    </svg>
  );
}
