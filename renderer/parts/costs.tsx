import type { ReactNode } from 'react';
import { words } from '../words/words.ts';
import { Icon } from './icon.tsx';

export interface CostPart {
  readonly key: string;
  readonly label: ReactNode;
  readonly amount: ReactNode;
}

/** Closed: the total, its share beside it. Open: each part. */
export function CostLine({
  total,
  share,
  parts,
  open = false,
}: {
  total: ReactNode;
  share?: ReactNode;
  parts: readonly CostPart[];
  open?: boolean;
}) {
  return (
    <details open={open}>
      <summary>
        <Icon name="right" className="chev" />
        <span className="row apart flex-1">
          <span>{words.parts.allCosts}</span>
          <span className="num">
            <strong>{total}</strong> <span className="sub">{share}</span>
          </span>
        </span>
      </summary>
      <Ruled rows={parts} className="sub ml-6" />
    </details>
  );
}

/** Label left, value right, a hairline between the rows. */
export function Ruled({
  rows,
  className = '',
  sum,
}: {
  rows: readonly CostPart[];
  className?: string;
  sum?: CostPart | undefined;
}) {
  return (
    <dl className={`facts ruled ${className}`.trim()}>
      {rows.map(({ key, label, amount }) => (
        <div key={key}>
          <dt>{label}</dt>
          <dd>{amount}</dd>
        </div>
      ))}
      {sum === undefined ? null : (
        <div className="sum">
          <dt>{sum.label}</dt>
          <dd>{sum.amount}</dd>
        </div>
      )}
    </dl>
  );
}
