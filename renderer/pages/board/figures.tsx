import type { ReactNode } from 'react';
import type { OwnerStatus } from '../../../engine/contract/owner/status.ts';
import { figureText } from '../../format/amount.ts';
import { spanText } from '../../format/span.ts';
import { Moment } from '../../parts/moment.tsx';
import { Status } from '../../parts/status.tsx';
import { boardWords } from '../../words/board-words.ts';
import { isAtRisk, riskUntil, standingOf, type SwapLine } from './swap-lines.ts';

/** The figures that are looked at first. */
export function Figures({
  status,
  all,
  lines,
  age,
}: {
  status: OwnerStatus;
  all: number;
  lines: readonly SwapLine[];
  age: number;
}) {
  // Of locked money alone: a swap that nobody paid for has a deadline too, and nothing to lose by it.
  const slacks = lines.filter(isAtRisk).flatMap(({ slack_seconds: left }) => (left === null ? [] : [left]));
  const slack = slacks.length === 0 ? undefined : Math.min(...slacks);
  const hands = lines.filter((line) => ['hand', 'late'].includes(standingOf(line, age))).length;
  return (
    <dl className="figs">
      <Fact label={boardWords.atRisk} small={<RiskUntil lines={lines} />}>
        {figureText(String(status.at_risk_sats), 0)} <small>{boardWords.unit}</small>
      </Fact>
      <Fact
        label={boardWords.leastTime}
        small={hands === 0 ? boardWords.allByThemselves : <Status tone="danger">{boardWords.needHand(hands)}</Status>}
      >
        {slack === undefined ? boardWords.noOpenLocks : spanText(slack - age)}
      </Fact>
      <Fact label={boardWords.openSwaps} small={null}>
        {figureText(String(all), 0)}
      </Fact>
    </dl>
  );
}

function RiskUntil({ lines }: { lines: readonly SwapLine[] }) {
  const until = riskUntil(lines);
  if (until === undefined) return boardWords.nothingAtRisk;
  if (until === null) return boardWords.noDate;
  return (
    <>
      {boardWords.until} <Moment at={until} />
    </>
  );
}

function Fact({ label, small, children }: { label: string; small: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd className="fig">{children}</dd>
      {small === null ? null : <dd>{small}</dd>}
    </div>
  );
}
