import { useEffect, useState } from 'react';
import type { TermsPreview } from '../../../engine/contract/owner/terms.ts';
import { amountText, figureText } from '../../format/amount.ts';
import { networkName } from '../../format/networks.ts';
import { FoldTable, type Column } from '../../parts/fold-table.tsx';
import { client } from '../../stores/records.ts';
import { troubleText } from '../../stores/trouble.ts';
import { directionWords } from '../../words/direction-words.ts';
import { priceWords } from '../../words/price-words.ts';
import { words } from '../../words/words.ts';
import type { Tree } from './form.ts';

type Pair = TermsPreview['pairs'][number];
type Offer = Pair['now'];
type Priced = Pair['quotes'][number]['now'];

const settleMs = 300;

interface Preview {
  readonly pairs: readonly Pair[] | null;
  readonly trouble: string | null;
}

/** What proposed terms would quote, asked a moment after the last key; what was shown stays until then. */
function usePreview(patch: Tree | null, inForce: Tree): Preview {
  const [preview, setPreview] = useState<Preview>({ pairs: null, trouble: null });
  const proposed = patch === null ? null : JSON.stringify(patch['terms'] ?? {});
  useEffect(() => {
    if (proposed === null) return;
    let stale = false;
    const look = async () => {
      try {
        const { pairs } = await client().call('previewTerms', { body: { terms: JSON.parse(proposed) as never } });
        if (!stale) setPreview({ pairs, trouble: null });
      } catch (error) {
        if (!stale) setPreview({ pairs: null, trouble: troubleText(error) });
      }
    };
    const timer = setTimeout(() => void look(), settleMs);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [proposed, inForce]);
  return preview;
}

/** Every pair with what it quotes, and where that would change what it would quote then. */
export function PricePreview({ patch, inForce }: { patch: Tree | null; inForce: Tree }) {
  const { pairs, trouble } = usePreview(patch, inForce);
  return (
    <section aria-label={priceWords.previewTitle} aria-live="polite">
      <h3>{priceWords.previewTitle}</h3>
      <Shown pairs={patch === null ? null : pairs} trouble={patch === null ? priceWords.wait : trouble} />
    </section>
  );
}

function Shown({ pairs, trouble }: Preview) {
  if (trouble !== null) return <p className="sub">{trouble}</p>;
  if (pairs === null) return null;
  if (pairs.length === 0) return <p className="sub">{priceWords.none}</p>;
  const changes = pairs.some(
    (pair) => !same(pair.now, pair.then) || pair.quotes.some((one) => !same(one.now, one.then)),
  );
  return (
    <>
      <p className="sub mb-2">{changes ? priceWords.previewChanges : priceWords.previewMeans}</p>
      <FoldTable
        caption={priceWords.caption}
        columns={columnsFor(pairs)}
        rows={pairs}
        keyOf={({ direction, source, target }) => `${direction}/${source}/${target}`}
      />
    </>
  );
}

function columnsFor(pairs: readonly Pair[]): readonly Column<Pair>[] {
  const amounts = pairs.find(({ quotes }) => quotes.length > 0)?.quotes.map(({ amount_sats: amount }) => amount) ?? [];
  const head = (amount: number) => priceWords.of(sats(amount));
  return [
    { key: 'direction', head: priceWords.direction, rowHead: true, whole: true, cell: (pair) => <Name pair={pair} /> },
    {
      key: 'fee',
      head: priceWords.fee,
      label: priceWords.fee,
      cell: ({ now, then }) => <Both now={feeText(now)} then={feeText(then)} />,
    },
    {
      key: 'limits',
      head: priceWords.limits,
      label: priceWords.limits,
      cell: ({ now, then }) => <Both now={limitsText(now)} then={limitsText(then)} />,
    },
    ...amounts.map((amount, at) => ({
      key: String(amount),
      head: head(amount),
      label: head(amount),
      number: true,
      cell: ({ quotes }: Pair) => {
        const one = quotes[at];
        return one === undefined ? priceWords.unknown : <Both now={payoutText(one.now)} then={payoutText(one.then)} />;
      },
    })),
  ];
}

function Name({ pair: { direction, source, target, closed } }: { pair: Pair }) {
  const chain = [source, target].find((side) => /^\d+$/.test(side));
  return (
    <>
      {directionWords[direction]}
      {chain === undefined ? null : <div className="sub">{priceWords.on(networkName(`evm:${chain}`))}</div>}
      {closed === null ? null : <div className="sub whitespace-normal">{closed}</div>}
    </>
  );
}

/** What is now, and where it would be another what would be then. */
function Both({ now, then }: { now: string; then: string }) {
  return (
    <>
      <div>{now}</div>
      {now === then ? null : (
        <div>
          <span className="sub">{priceWords.then} </span>
          <b>{then}</b>
        </div>
      )}
    </>
  );
}

function same(now: Offer | Priced, then: Offer | Priced): boolean {
  return JSON.stringify(now) === JSON.stringify(then);
}

function sats(amount: number): string {
  return amountText({ amount: String(amount), decimals: 0, symbol: 'sats' });
}

function figure(amount: number): string {
  return figureText(String(amount), 0);
}

function percent(bps: number): string {
  return words.parts.percent(String(bps / 100));
}

function feeText({ fee_bps: fee, spread_bps: spread, flat_sats: flat }: Offer): string {
  const text = priceWords.feeText(percent(fee + spread), flat === 0 ? null : sats(flat));
  return spread === 0 ? text : `${text}, ${priceWords.spread(percent(spread))}`;
}

function limitsText({ min_sats: least, max_sats: most }: Offer): string {
  return most < least ? priceWords.noRoom : priceWords.limitsText(figure(least), figure(most));
}

function payoutText({ payout_sats: payout, refused }: Priced): string {
  return refused === null ? sats(payout) : priceWords.refused;
}
