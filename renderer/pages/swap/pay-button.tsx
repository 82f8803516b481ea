import { useState } from 'react';
import { amountText } from '../../format/amount.ts';
import { Button } from '../../parts/button.tsx';
import { Note } from '../../parts/note.tsx';
import { words } from '../../words/words.ts';
import type { Pair } from './assets.ts';
import { worse, type Priced } from './quote.ts';

/** Leads to the review at the price that was looked at; a worse one is asked about first, in the same place. */
export function PayButton({
  pair,
  question,
  priced,
  why,
  review,
}: {
  pair: Pair;
  /** What the price is for; another one begins anew. */
  question: string;
  priced: Priced | null;
  why: string | null;
  review: (agreed: Priced) => void;
}) {
  const [agreed, setAgreed] = useState<{ readonly key: string; readonly priced: Priced } | null>(null);
  if (priced !== null && agreed?.key !== question) setAgreed({ key: question, priced });
  const before = agreed?.key === question ? agreed.priced : null;
  if (why === null && priced !== null && before !== null && worse(pair, priced, before))
    return (
      <Changed
        pair={pair}
        before={before}
        after={priced}
        review={review}
        onKeep={() => setAgreed({ key: question, priced })}
      />
    );
  return (
    <div>
      <Button
        kind="main"
        size="tall"
        full
        notYet={why}
        onPress={() => {
          if (priced !== null) review(priced);
        }}
      >
        {priced === null || why !== null
          ? words.swap.payBare
          : words.swap.pay(amountText({ ...pair.give, amount: priced.give }))}
      </Button>
      {why === null ? <p className="hint mt-2">{words.swap.renews}</p> : null}
    </div>
  );
}

function Changed({
  pair,
  before,
  after,
  review,
  onKeep,
}: {
  pair: Pair;
  before: Priced;
  after: Priced;
  review: (agreed: Priced) => void;
  onKeep: () => void;
}) {
  const text = (side: 'give' | 'get', priced: Priced) => amountText({ ...pair[side], amount: priced[side] });
  const side = BigInt(after.get) < BigInt(before.get) ? 'get' : 'give';
  const moved = BigInt(before[side]) - BigInt(after[side]);
  const lost = moved < 0n ? -moved : moved;
  return (
    <Note
      tone="need"
      alert
      title={words.swap.changed[side](amountText({ ...pair[side], amount: String(lost) }))}
      actions={
        <>
          <Button kind="main" onPress={() => review(after)}>
            {words.swap.newPrice}
          </Button>
          <Button onPress={onKeep}>{words.swap.notNow}</Button>
        </>
      }
    >
      {words.swap.changedMeans(text(side, before), text(side, after))}
    </Note>
  );
}
