import { useState } from 'react';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import { pageDirections } from '../directions/directions.ts';
import { directionText } from '../format/directions.ts';
import { satsText } from '../format/sats.ts';
import { meaningOf } from '../format/status.ts';
import { CopyText } from '../parts/copy-text.tsx';
import { QrCode } from '../parts/qr-code.tsx';
import { TimeLeft } from '../parts/time-left.tsx';
import { sentenceFor, useNode } from '../stores/node.ts';

/** One swap of our own: where to pay while it waits for that, then who is waiting for whom. */
export function TakerSwapCard({ swap }: { swap: TakerSwap }) {
  const clockAhead = useNode((state) => state.clockAhead);
  return (
    <li className="panel flex flex-col gap-3" data-taker-status={swap.outcome ?? swap.phase}>
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h3 className="heading">
          {directionText(swap.direction)}, {satsText(swap.give.sats ?? 0)}
        </h3>
        <p className="text-sm text-quiet tabular-nums">
          {swap.turn.until === null ? '' : <TimeLeft until={swap.turn.until - clockAhead} />}
        </p>
      </div>
      <p role="status">
        <span className="font-medium">{meaningOf(swap.outcome ?? swap.phase)}.</span> {swap.detail}
      </p>
      {swap.pay === null ? null : <Funding swap={swap} place={swap.pay.text} />}
      {swap.refund.state === 'possible' ? <Refund swap={swap} /> : null}
    </li>
  );
}

function Funding({ swap, place }: { swap: TakerSwap; place: string }) {
  const fund = useNode((state) => state.fund);
  const direction = pageDirections[swap.direction];
  if (direction === undefined) return <CopyText text={place} label="Where to pay" />;
  return (
    <div className="grid gap-4 sm:grid-cols-[16rem_1fr]">
      <QrCode text={place} label={direction.qrLabel} />
      <div className="flex flex-col gap-4">
        <CopyText text={place} label={direction.placeLabel(swap)} />
        <ActButton act={() => fund(swap)}>{direction.fundLabel}</ActButton>
      </div>
    </div>
  );
}

function Refund({ swap }: { swap: TakerSwap }) {
  const refund = useNode((state) => state.refund);
  return <ActButton act={() => refund(swap)}>Take the coins back</ActButton>;
}

/** A button that is pressed once, and says why when that did not work. */
function ActButton({ act, children }: { act: () => Promise<void>; children: string }) {
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState('');
  const press = async () => {
    setBusy(true);
    setTrouble('');
    try {
      await act();
    } catch (error) {
      setTrouble(sentenceFor(error));
      setBusy(false);
    }
  };
  return (
    <div className="flex flex-col gap-2">
      <div>
        <button type="button" className="button button-main" disabled={busy} onClick={() => void press()}>
          {children}
        </button>
      </div>
      <p role="alert" className="text-bad empty:hidden">
        {trouble}
      </p>
    </div>
  );
}
