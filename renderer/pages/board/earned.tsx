import { memo, useMemo } from 'react';
import { ledgerColumns } from '../../../engine/contract/owner/ledger.ts';
import { handOver } from '../../client/hand-over.ts';
import { figureText, shortText } from '../../format/amount.ts';
import { csvText } from '../../format/csv.ts';
import { networkName } from '../../format/networks.ts';
import { Button } from '../../parts/button.tsx';
import { Loading } from '../../parts/empty.tsx';
import { Note } from '../../parts/note.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { useActing } from '../../stores/acting.ts';
import { useClock } from '../../stores/now.ts';
import { boardWords } from '../../words/board-words.ts';
import { wireDirectionWords } from '../../words/direction-words.ts';
import type { Holdings } from '../wallets/use-holdings.ts';
import { DayChart } from './day-chart.tsx';
import { earningsOf, lastSevenDays, type Besides, type Earnings, type PairEarnings } from './earnings.ts';
import { signed, signedSats, wholeSatsDown } from './sats.ts';
import { useLedger, type LedgerRead } from './use-board.ts';

/** What the node earned after its costs, by the ledger: its days are those of the clock by which it was written. */
export function Earned({ holdings }: Pick<Holdings, 'holdings'>) {
  const week = lastSevenDays(useClock());
  const days = useMemo(() => week, [week[0]]);
  return <EarnedIn days={days} holdings={holdings} />;
}

/** Drawn anew with its rows and not with each second. */
const EarnedIn = memo(function EarnedIn({ days, holdings }: Pick<Holdings, 'holdings'> & { days: readonly number[] }) {
  const { value: ledger, trouble } = useLedger(days[0] ?? 0);
  const { busy, outcome, run } = useActing();
  const save = (rows: LedgerRead['rows']) =>
    run('csv', async () => {
      const lines = rows.map((row) => ledgerColumns.map((column) => String(row[column] ?? '')));
      const how = await handOver('sluice-ledger.csv', csvText([ledgerColumns, ...lines]), 'text/csv');
      const count = figureText(String(rows.length), 0);
      return how === 'saved' ? boardWords.saved(count) : boardWords.copied(count);
    });
  return (
    <section aria-labelledby="board-earned">
      <div className="row apart">
        <h2 id="board-earned">{boardWords.earned}</h2>
        {ledger === null || ledger.rows.length === 0 ? null : (
          <Button icon="down" size="small" busy={busy !== null} onPress={() => void save(ledger.rows)}>
            {boardWords.saveCsv}
          </Button>
        )}
      </div>
      <Outcome outcome={outcome} />
      {trouble === null ? null : <Note tone="need">{trouble}</Note>}
      {ledger === null ? (
        trouble === null ? (
          <Loading rows={5} />
        ) : null
      ) : ledger.rows.length === 0 ? (
        <p className="sub mt-2">{boardWords.nothingEarned}</p>
      ) : (
        <Sums earnings={earningsOf(ledger.rows, days)} ledger={ledger} holdings={holdings} />
      )}
    </section>
  );
});

function Sums({ earnings, ledger, holdings }: Pick<Holdings, 'holdings'> & { earnings: Earnings; ledger: LedgerRead }) {
  const { all, pairs, days } = earnings;
  const today = days.at(-1);
  return (
    <>
      <p className="row apart my-2">
        <span>
          <span className="fig">
            {signed(netOf(all))} <small>{boardWords.afterCosts}</small>
          </span>
          <BesidesLines besides={all.besides} holdings={holdings} />
          {today === undefined ? null : (
            <span className="sub block">
              {boardWords.earnedToday}: {boardWords.sats(signed(netOf(today)))}
              <BesidesLines besides={today.besides} holdings={holdings} />
            </span>
          )}
        </span>
        <span className="legend">
          <span>
            <i className="c-free" />
            {boardWords.fees}
          </span>
          <span>
            <i className="c-cost" />
            {boardWords.costs}
          </span>
        </span>
      </p>
      <DayChart days={days} />
      <div className="scroll mt-3" tabIndex={0} role="region" aria-label={boardWords.earnedCaption}>
        <table className="tight">
          <caption className="sr">{boardWords.earnedCaption}</caption>
          <thead>
            <tr>
              <th scope="col">{boardWords.pair}</th>
              {[boardWords.swaps, boardWords.fees, boardWords.costs, boardWords.net].map((head) => (
                <th key={head} scope="col" className="n">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {pairs.map((row) => (
              <PairRow key={row.pair ?? ''} row={row} name={pairText(row.pair)} holdings={holdings} />
            ))}
          </tbody>
          <tfoot>
            <PairRow row={all} name={boardWords.all} holdings={holdings} />
          </tfoot>
        </table>
      </div>
      {ledger.complete ? null : (
        <p className="hint mt-2">{boardWords.tooMany(figureText(String(ledger.rows.length), 0))}</p>
      )}
    </>
  );
}

function PairRow({ row, name, holdings }: Pick<Holdings, 'holdings'> & { row: PairEarnings; name: string }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className="n">{figureText(String(row.swaps), 0)}</td>
      <td className="n">{signedSats(row.earned)}</td>
      <td className="n">{signed(-wholeSatsDown(-row.paid))}</td>
      <td className="n">
        {signed(netOf(row))}
        <BesidesLines besides={row.besides} holdings={holdings} />
      </td>
    </tr>
  );
}

/** What is shown as earned less what is shown as paid, to the last sat. */
function netOf({ earned, paid }: Pick<PairEarnings, 'earned' | 'paid'>): bigint {
  return wholeSatsDown(earned) + wholeSatsDown(-paid);
}

function pairText(pair: string | null): string {
  if (pair === null) return boardWords.wallets;
  return (wireDirectionWords as Readonly<Record<string, string>>)[pair] ?? pair;
}

/** Gas and fees in tokens, in their own unit. */
function BesidesLines({ besides, holdings }: Pick<Holdings, 'holdings'> & { besides: Besides }) {
  return [...besides]
    .filter(([, amount]) => amount !== 0n)
    .map(([key, amount]) => {
      const holding = holdings?.find(({ network, asset }) => key === `${network} ${asset.toLowerCase()}`);
      const { symbol = boardWords.units, decimals = 0 } = holding ?? {};
      const size = shortText({ amount: String(amount < 0n ? -amount : amount), decimals, symbol });
      return (
        <span key={key} className="sub block nw" title={networkName(key.split(' ')[0] ?? '')}>
          {`${amount < 0n ? '−' : ''}${size}`}
        </span>
      );
    });
}
