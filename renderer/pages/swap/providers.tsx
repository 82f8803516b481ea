import { useEffect, useId, useState, type ReactNode } from 'react';
import type { TakerQuote } from '../../../engine/contract/taker-quotes.ts';
import { Note } from '../../parts/note.tsx';
import { hrefTo } from '../../stores/route.ts';
import { providerWords as words } from '../../words/providers.ts';
import { pricedBy, useOffers } from './offers.ts';
import { nameOf, ProvidersTable } from './providers-table.tsx';
import { keyOf, type Ask, type Priced } from './quote.ts';

/** What a provider's price is for: the ask by its key. A price of null is one that does not exist. */
export interface Elsewhere {
  readonly key: string;
  readonly provider: string;
  readonly priced: Priced | null;
  /** All that the node says of it. */
  readonly row: TakerQuote;
}

/** With whom the swap is made: the best of those in the settings, until the owner chooses. */
export function Providers({
  ask,
  choice,
  onChoose,
  onElsewhere,
}: {
  ask: Ask;
  /** The owner's; null is the best. */
  choice: string | null;
  onChoose: (provider: string) => void;
  onElsewhere: (other: Elsewhere) => void;
}): ReactNode {
  const rows = useOffers(ask);
  const [open, setOpen] = useState(false);
  const table = useId();
  const row = rows === null ? null : chosenOf(rows, choice);
  const key = keyOf(ask);
  useEffect(() => {
    if (row !== null) onElsewhere({ key, provider: row.provider_url, priced: pricedBy(row), row });
  }, [row, key, onElsewhere]);
  if (rows === null || row === null) return <p className="sub mt-3">{words.asking}</p>;
  const name = nameOf(row);
  if (rows.length === 1)
    return (
      <p className="row apart sub mt-3">
        <span>
          {words.provider}: {name}
        </span>
        <a href={hrefTo('settings', 'terms')}>{words.another}</a>
      </p>
    );
  return (
    <section aria-label={words.title} className="mt-3">
      <p className="row apart sub">
        <span>
          {choice === null ? words.bestOf(rows.length) : words.chosen}: <b>{name}</b>
        </span>
        <button
          type="button"
          className="linkish"
          aria-expanded={open}
          aria-controls={table}
          onClick={() => setOpen(!open)}
        >
          {open ? words.hide : words.compare}
        </button>
      </p>
      {row.why === null || row.provider_url === '' ? null : (
        <Note tone="need" alert>
          {words.gone(name)}
        </Note>
      )}
      <div id={table}>
        {open ? <ProvidersTable ask={ask} rows={rows} chosen={row.provider_url} onChoose={onChoose} /> : null}
      </div>
    </section>
  );
}

/** The owner's choice while it is in the list; the first is the best. */
function chosenOf(rows: readonly TakerQuote[], choice: string | null): TakerQuote | null {
  const chosen = choice === null ? undefined : rows.find(({ provider_url }) => provider_url === choice);
  const best = rows.find(({ why }) => why === null) ?? rows.find(({ provider_url }) => provider_url === '');
  return chosen ?? best ?? rows[0] ?? null;
}
