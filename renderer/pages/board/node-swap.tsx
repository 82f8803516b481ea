import type { OwnerSwap } from '../../../engine/contract/owner/swaps.ts';
import { plainText } from '../../format/plain.ts';
import { Loading } from '../../parts/empty.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Note } from '../../parts/note.tsx';
import { Pill } from '../../parts/status.tsx';
import { useAge } from '../../stores/now.ts';
import { client } from '../../stores/records.ts';
import { useReading } from '../../stores/reading.ts';
import { hrefTo } from '../../stores/route.ts';
import { boardWords } from '../../words/board-words.ts';
import { SwapLabelSection } from '../labels/swap-label.tsx';
import { Acts } from './acts.tsx';
import { Journal } from './journal.tsx';
import { Result } from './result.tsx';
import { directionText, standingOf, standingTones, type SwapLine } from './swap-lines.ts';
import { ExtraDeposits, Transactions } from './transactions.tsx';

const toBoard = { href: hrefTo('board'), label: boardWords.title };

/** One swap of a client, or one job of a wallet: what happened, what can be done, what it cost. */
export function NodeSwap({ id }: { id: string }) {
  const { value, trouble } = useReading(id, async () => {
    const [swap, { swaps }] = await Promise.all([
      client().call('ownerSwap', { params: { id } }),
      client().call('ownerSwaps', { query: { q: id, open: 'true', limit: 1 } }),
    ]);
    return { swap, open: swaps.find((line) => line.id === id) ?? null };
  });
  if (value !== null) return <Swap id={id} swap={value.swap} open={value.open} />;
  if (trouble === null) return <Loading rows={8} />;
  return (
    <>
      <PageHead title={boardWords.notThere} back={toBoard} />
      <Note tone="need">{trouble}</Note>
    </>
  );
}

function Swap({ id, swap, open }: { id: string; swap: OwnerSwap; open: SwapLine | null }) {
  const started = swap.journal[0]?.time;
  const flag = swap.progress['flag'];
  return (
    <>
      <PageHead
        title={directionText(swap)}
        lead={
          <>
            <span className="mono break-words">{id}</span>
            {started === undefined ? null : (
              <>
                {' · '}
                {boardWords.started} <Moment at={started} />
              </>
            )}
          </>
        }
        back={toBoard}
      >
        <UrgencyPill swap={swap} open={open} />
      </PageHead>
      {typeof flag === 'string' ? (
        <Note tone="danger" title={boardWords.standings.hand}>
          {plainText(flag)}
        </Note>
      ) : null}
      {open === null ? null : <p className="next-act mt-4">{plainText(open.next_action)}</p>}
      <div className="halves section">
        <Acts id={id} over={open === null} />
        <Result ledger={swap.ledger} />
      </div>
      <Transactions transactions={swap.transactions} />
      <ExtraDeposits extras={swap.strays} others={swap.other_locks} />
      <Journal id={id} journal={swap.journal} />
      <SwapLabelSection key={id} id={id} label={swap.label} note={swap.note} />
      <p className="mt-4">
        <a href={hrefTo('logs', id)}>{boardWords.logs}</a>
      </p>
    </>
  );
}

function UrgencyPill({ swap: { at }, open }: { swap: OwnerSwap; open: SwapLine | null }) {
  const age = useAge();
  if (open === null) return <Pill tone="off">{at}</Pill>;
  const standing = standingOf(open, age);
  return (
    <Pill tone={standingTones[standing]}>
      {boardWords.standings[standing]} <span className="mono">{open.status}</span>
    </Pill>
  );
}
