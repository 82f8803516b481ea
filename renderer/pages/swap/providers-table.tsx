import { useId } from 'react';
import type { TakerQuote } from '../../../engine/contract/taker-quotes.ts';
import { amountText, shortText } from '../../format/amount.ts';
import { hostOf } from '../../format/host.ts';
import { spanText } from '../../format/span.ts';
import { FoldTable, type Column } from '../../parts/fold-table.tsx';
import { providerWords as words } from '../../words/providers.ts';
import type { Ask } from './quote.ts';

/** One row a provider: what it would do, or why not. */
export function ProvidersTable({
  ask,
  rows,
  chosen,
  onChoose,
}: {
  ask: Ask;
  rows: readonly TakerQuote[];
  chosen: string;
  onChoose: (provider: string) => void;
}) {
  const group = useId();
  const [side, field, head] =
    ask.side === 'give'
      ? (['get', 'target_amount', words.arrives] as const)
      : (['give', 'source_amount', words.given] as const);
  const columns: readonly Column<TakerQuote>[] = [
    {
      key: 'provider',
      head: words.provider,
      rowHead: true,
      whole: true,
      cell: (row) => (
        <>
          <label className="flex items-center gap-2">
            <input
              type="radio"
              name={group}
              checked={row.provider_url === chosen}
              disabled={row.why !== null && row.provider_url !== chosen}
              onChange={() => onChoose(row.provider_url)}
            />
            <span className="min-w-0 break-all">{nameOf(row)}</span>
          </label>
          <WhyNot row={row} />
        </>
      ),
    },
    {
      key: 'amount',
      head,
      label: head,
      number: true,
      cell: (row) => {
        const amount = row[field];
        return amount === null ? null : (
          <>
            {shortText({ ...ask.pair[side], amount })}
            <div className="sub">{costsText(row)}</div>
          </>
        );
      },
    },
    { key: 'time', head: words.time, whole: true, cell: (row) => <Times row={row} /> },
  ];
  return (
    <>
      <FoldTable caption={words.caption} columns={columns} rows={rows} keyOf={({ provider_url }) => provider_url} />
      <p className="hint mt-2">{words.usualMeans}</p>
    </>
  );
}

function costsText({ costs }: TakerQuote): string {
  if (costs.length === 0) return words.costsUnknown;
  const total = costs.reduce((sum, { sats }) => sum + sats, 0);
  return words.costs(amountText({ amount: String(total), decimals: 0, symbol: 'sats' }));
}

function Times({ row: { why, usual_seconds: usual, worst_seconds: worst } }: { row: TakerQuote }) {
  if (why !== null) return null;
  return (
    <>
      {usual === null ? <div className="sub">{words.usualUnknown}</div> : words.usual(spanText(Math.max(1, usual)))}
      <div className="sub">{worst === null ? words.worstUnknown : words.worst(spanText(worst))}</div>
    </>
  );
}

function WhyNot({ row: { why, detail, min_sats: least, max_sats: most } }: { row: TakerQuote }) {
  if (why === null) return null;
  const sats = (amount: number) => amountText({ amount: String(amount), decimals: 0, symbol: 'sats' });
  const limited = why === 'below-minimum' || why === 'above-maximum';
  return (
    <p className="sub whitespace-normal">
      {words.why[why]}
      {limited && least !== null && most !== null ? ` ${words.limits(sats(least), sats(most))}` : null}
      {why === 'declined' && detail !== null ? ` ${words.says(detail)}` : null}
    </p>
  );
}

export function nameOf({ provider_url }: Pick<TakerQuote, 'provider_url'>): string {
  return provider_url === '' ? words.thisNode : hostOf(provider_url);
}
