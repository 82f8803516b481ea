import { boardWords } from '../../words/board-words.ts';
import type { Earnings } from './earnings.ts';

const height = 150;
const width = 520;
const day = new Intl.DateTimeFormat('en-GB', { weekday: 'short' });

/** Earned and costs of each day, side by side. */
export function DayChart({ days }: { days: Earnings['days'] }) {
  const most = days.reduce((top, { earned, paid }) => Math.max(top, Number(earned), Number(paid)), 1);
  const step = width / days.length;
  const tall = (msat: bigint) => (Number(msat) / most) * height;
  return (
    <svg className="chart" viewBox={`0 0 ${width} 176`} role="img" aria-label={boardWords.chart}>
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
      {days.map(({ begins, earned, paid }, place) => {
        const middle = step * (place + 0.5);
        return (
          <g key={begins}>
            <rect className="fees" x={middle - 22} y={height - tall(earned)} width="20" height={tall(earned)} rx="2" />
            <rect
              fill="url(#board-costs)"
              className="edge"
              x={middle + 2}
              y={height - tall(paid)}
              width="20"
              height={tall(paid)}
              rx="2"
            />
            <text x={middle} y="168" textAnchor="middle">
              {day.format(begins * 1_000)}
            </text>
          </g>
        );
      })}
    </svg>
  );
}
