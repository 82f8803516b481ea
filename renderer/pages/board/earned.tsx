import { useState } from 'react';
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
import { boardWords } from '../../words/board-words.ts';
import type { Holdings } from '../wallets/use-holdings.ts';
import { DayChart } from './day-chart.tsx';
import { earningsOf, lastSevenDays, type Earnings, type PairEarnings } from './earnings.ts';
import { signedSats } from './sats.ts';
import { useLedger, type LedgerRead } from './use-board.ts';

/** What the node earned after its costs, by the ledger. */
export function Earned({ holdings }: Pick<Holdings, 'holdings'>) {
  const [days] = useState(() => lastSevenDays(Date.now() / 1_000));
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
}

function Sums({ earnings, ledger, holdings }: Pick<Holdings, 'holdings'> & { earnings: Earnings; ledger: LedgerRead }) {
  const { all, pairs, days } = earnings;
  const today = days.at(-1);
  return (
    <>
      <p className="row apart my-2">
        <span>
          <span className="fig">
            {signedSats(all.earned - all.paid)} <small>{boardWords.afterCosts}</small>
          </span>
          {today === undefined ? null : (
            <span className="sub block">
              {boardWords.earnedToday}: {signedSats(today.earned - today.paid)}
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
              <PairRow key={row.pair ?? ''} row={row} name={pairText(row.pair)} />
            ))}
          </tbody>
          <tfoot>
            <PairRow row={all} name={boardWords.all} />
          </tfoot>
        </table>
      </div>
      <Besides besides={earnings.besides} holdings={holdings} />
      {ledger.complete ? null : (
        <p className="hint mt-2">{boardWords.tooMany(figureText(String(ledger.rows.length), 0))}</p>
      )}
    </>
  );
}

function PairRow({ row, name }: { row: PairEarnings; name: string }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className="n">{figureText(String(row.swaps), 0)}</td>
      <td className="n">{signedSats(row.earned)}</td>
      <td className="n">{signedSats(row.paid)}</td>
      <td className="n">{signedSats(row.earned - row.paid)}</td>
    </tr>
  );
}

function pairText(pair: string | null): string {
  if (pair === null) return boardWords.wallets;
  return (boardWords.directions as Readonly<Record<string, string>>)[pair] ?? pair;
}

/** Gas and tokens: nobody says here what they are worth in sats. */
function Besides({ besides, holdings }: Pick<Holdings, 'holdings'> & Pick<Earnings, 'besides'>) {
  if (besides.size === 0 || holdings === null) return null;
  const amounts = [...besides].map(([key, amount]) => {
    const holding = holdings.find(({ network, asset }) => key === `${network} ${asset.toLowerCase()}`);
    const { symbol = key, decimals = 0 } = holding ?? {};
    const [network = ''] = key.split(' ');
    const size = shortText({ amount: String(amount < 0n ? -amount : amount), decimals, symbol });
    return `${amount < 0n ? '−' : ''}${size} (${networkName(network)})`;
  });
  return <p className="hint mt-2">{boardWords.besides(amounts.join(', '))}</p>;
}
