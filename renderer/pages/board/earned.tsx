import { memo, useState } from 'react';
import { mostDays, type Earnings as Reply } from '../../../engine/contract/owner/earnings.ts';
import { ledgerColumns } from '../../../engine/contract/owner/ledger.ts';
import { handOver } from '../../client/hand-over.ts';
import { figureText, shortText } from '../../format/amount.ts';
import { csvText } from '../../format/csv.ts';
import { networkName } from '../../format/networks.ts';
import { Button } from '../../parts/button.tsx';
import { Loading } from '../../parts/empty.tsx';
import { TextField } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { Picker } from '../../parts/picker.tsx';
import { useActing } from '../../stores/acting.ts';
import { useClock } from '../../stores/now.ts';
import { boardWords } from '../../words/board-words.ts';
import { wireDirectionWords } from '../../words/direction-words.ts';
import { Fiat } from '../display/shown.tsx';
import type { Holdings } from '../wallets/use-holdings.ts';
import { DayChart } from './day-chart.tsx';
import { earningsOf, sumsOf, type Besides, type PairEarnings } from './earnings.ts';
import { dayOf, daysOf, periodOf, secondsOf, spans, type Period, type Span } from './period.ts';
import { signed, signedSats, wholeSatsDown } from './sats.ts';
import { ledgerOf, useEarnings } from './use-board.ts';

/** What the node earned after its costs, and what was swapped for it, in any time. */
export function Earned({ holdings }: Pick<Holdings, 'holdings'>) {
  const now = useClock();
  const [span, setSpan] = useState<Span>('week');
  const [own, setOwn] = useState<Period>({ first: dayOf(now), last: dayOf(now) });
  const { first, last } = periodOf(span, now, own);
  const pick = (next: Span) => {
    if (next === 'own') setOwn({ first, last });
    setSpan(next);
  };
  return (
    <section aria-labelledby="board-earned">
      <div className="row apart">
        <h2 id="board-earned">{boardWords.earned}</h2>
        <Picker
          value={span}
          options={spans.map((value) => ({ value, label: boardWords.periods[value] }))}
          onPick={pick}
          purpose={boardWords.period}
        />
      </div>
      {span === 'own' ? (
        <div className="row">
          <TextField
            label={boardWords.firstDay}
            type="date"
            value={own.first}
            onText={(day) => setOwn({ ...own, first: day })}
          />
          <TextField
            label={boardWords.lastDay}
            type="date"
            value={own.last}
            onText={(day) => setOwn({ ...own, last: day })}
          />
        </div>
      ) : null}
      <EarnedIn first={first} last={last} today={dayOf(now)} holdings={holdings} />
    </section>
  );
}

/** Drawn anew with its days and not with each second. */
const EarnedIn = memo(function EarnedIn({
  today,
  holdings,
  ...period
}: Pick<Holdings, 'holdings'> & Period & { today: string }) {
  const time = secondsOf(period);
  if (time === null) return <Note tone="need">{boardWords.wrongDays}</Note>;
  if (daysOf(time) > mostDays) return <Note tone="need">{boardWords.longDays(figureText(String(mostDays), 0))}</Note>;
  return <EarnedOf time={time} name={`${period.first}-${period.last}`} today={today} holdings={holdings} />;
});

function EarnedOf({
  time,
  name,
  today,
  holdings,
}: Pick<Holdings, 'holdings'> & { time: { from: number; to: number }; name: string; today: string }) {
  const { value: reply, trouble } = useEarnings(time);
  const { busy, outcome, run } = useActing();
  const save = (what: 'days' | 'ledger', lines: () => Promise<string[][]>) =>
    run(what, async () => {
      const [head, ...rows] = await lines();
      const how = await handOver(`sluice-${what}-${name}.csv`, csvText([head ?? [], ...rows]), 'text/csv');
      const count = figureText(String(rows.length), 0);
      return how === 'saved' ? boardWords.saved(count) : boardWords.copied(count);
    });
  return (
    <>
      {trouble === null ? null : <Note tone="need">{trouble}</Note>}
      {reply === null ? (
        trouble === null ? (
          <Loading rows={5} />
        ) : null
      ) : reply.days.length === 0 ? (
        <p className="sub mt-2">{boardWords.nothingEarned}</p>
      ) : (
        <>
          <Sums reply={reply} today={today} holdings={holdings} />
          <div className="row mt-2">
            <Button
              icon="down"
              size="small"
              busy={busy === 'days'}
              onPress={() => void save('days', async () => dayLines(reply))}
            >
              {boardWords.saveCsv}
            </Button>
            <Button
              icon="down"
              size="small"
              busy={busy === 'ledger'}
              onPress={() => void save('ledger', () => ledgerLines(time))}
            >
              {boardWords.saveLedger}
            </Button>
          </div>
        </>
      )}
      <Outcome outcome={outcome} />
    </>
  );
}

/** A line for each day and direction, with its gas as `evm:137 31`. */
function dayLines({ days }: Reply): string[][] {
  return [
    ['day', 'pair', 'swaps', 'volume_sats', 'earned', 'paid', 'gas'],
    ...days.map(({ day, pair, swaps, volume_sats: volume, earned, paid, gas }) => [
      dayOf(day),
      pair ?? 'wallets',
      String(swaps),
      String(volume),
      earned,
      paid,
      gas.map(({ network, amount }) => `${network} ${amount}`).join(' '),
    ]),
  ];
}

async function ledgerLines(time: { from: number; to: number }): Promise<string[][]> {
  const rows = await ledgerOf(time);
  return [[...ledgerColumns], ...rows.map((row) => ledgerColumns.map((column) => String(row[column] ?? '')))];
}

function Sums({ reply, today, holdings }: Pick<Holdings, 'holdings'> & { reply: Reply; today: string }) {
  const { all, pairs, columns } = earningsOf(reply);
  const ofToday = reply.days.filter(({ day }) => dayOf(day) === today);
  const now = sumsOf(ofToday);
  return (
    <>
      <p className="row apart my-2">
        <span>
          <span className="fig">
            {signed(netOf(all))} <small>{boardWords.afterCosts}</small>
          </span>{' '}
          <Fiat sats={String(netOf(all))} />
          <BesidesLines besides={all.besides} holdings={holdings} />
          {ofToday.length === 0 ? null : (
            <span className="sub block">
              {boardWords.earnedToday}: {boardWords.sats(signed(netOf(now)))}
              <BesidesLines besides={now.besides} holdings={holdings} />
            </span>
          )}
        </span>
        <span className="legend">
          {(
            [
              ['c-free', boardWords.fees],
              ['c-cost', boardWords.costs],
              ['c-held', boardWords.volume],
            ] as const
          ).map(([look, text]) => (
            <span key={look}>
              <i className={look} />
              {text}
            </span>
          ))}
        </span>
      </p>
      <DayChart columns={columns} />
      <div className="scroll mt-3" tabIndex={0} role="region" aria-label={boardWords.earnedCaption}>
        <table className="tight">
          <caption className="sr">{boardWords.earnedCaption}</caption>
          <thead>
            <tr>
              <th scope="col">{boardWords.pair}</th>
              {[boardWords.swaps, boardWords.volume, boardWords.fees, boardWords.costs, boardWords.net].map((head) => (
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
            <PairRow row={all} name={boardWords.all} holdings={holdings} worth />
          </tfoot>
        </table>
      </div>
    </>
  );
}

function PairRow({
  row,
  name,
  holdings,
  worth = false,
}: Pick<Holdings, 'holdings'> & { row: PairEarnings; name: string; worth?: boolean }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className="n">{figureText(String(row.swaps), 0)}</td>
      <td className="n">
        {figureText(String(row.volume), 0)} {worth ? <Fiat sats={String(row.volume)} /> : null}
      </td>
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

/** Gas, in the coin of its chain. */
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
