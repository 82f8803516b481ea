import type { OwnerSwap } from '../../../engine/contract/owner/swaps.ts';
import { networkName } from '../../format/networks.ts';
import { CopyButton } from '../../parts/address.tsx';
import { FoldTable, type Column } from '../../parts/fold-table.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Explorer } from '../display/shown.tsx';
import { boardWords } from '../../words/board-words.ts';

type Transaction = OwnerSwap['transactions'][number];
type ExtraDeposit = OwnerSwap['strays'][number];

const ofTransactions: readonly Column<Transaction>[] = [
  {
    key: 'what',
    head: boardWords.what,
    rowHead: true,
    whole: true,
    cell: ({ purpose, network }) => `${purpose}, ${networkName(network)}`,
  },
  {
    key: 'txid',
    head: boardWords.transaction,
    label: boardWords.transaction,
    cell: ({ txid, network }) => (
      <span className="row">
        <span className="mono" title={txid}>
          {txid.slice(0, 8)}…{txid.slice(-6)}
        </span>
        <CopyButton text={txid} thing={boardWords.theTransaction} kind="quiet" size="inline" />
        <Explorer network={network} txid={txid} />
      </span>
    ),
  },
  {
    key: 'state',
    head: boardWords.state,
    label: boardWords.state,
    cell: ({ state, replaces }) => (replaces === null ? state : `${state}, ${boardWords.replaces}`),
  },
  { key: 'time', head: boardWords.time, label: boardWords.time, cell: ({ created }) => <Moment at={created} /> },
];

/** What this node sent for the swap. */
export function Transactions({ transactions }: { transactions: readonly Transaction[] }) {
  return (
    <section className="section" aria-labelledby="swap-transactions">
      <h2 id="swap-transactions">{boardWords.transactions}</h2>
      <FoldTable
        caption={boardWords.transactionsCaption}
        columns={ofTransactions}
        rows={transactions}
        keyOf={({ network, txid }) => `${network} ${txid}`}
        empty={<p className="sub mt-2">{boardWords.noTransactions}</p>}
      />
    </section>
  );
}

const ofExtras: readonly Column<ExtraDeposit>[] = [
  {
    key: 'coin',
    head: boardWords.coin,
    rowHead: true,
    whole: true,
    cell: ({ coin }) => <span className="mono break-words">{coin}</span>,
  },
  {
    key: 'amount',
    head: boardWords.amount,
    label: boardWords.amount,
    number: true,
    cell: ({ amount, network }) => `${amount} · ${networkName(network)}`,
  },
  { key: 'seen', head: boardWords.seen, label: boardWords.seen, cell: ({ seen }) => <Moment at={seen} /> },
];

/**
 * Coins at the swap's address that are not the one that was agreed on: their sender can have them back. Of what is not
 * even that, how many there are.
 */
export function ExtraDeposits({ extras, others }: { extras: readonly ExtraDeposit[]; others: number }) {
  if (extras.length === 0 && others === 0) return null;
  return (
    <section className="section" aria-labelledby="swap-extras">
      <h2 id="swap-extras">{boardWords.extras}</h2>
      {extras.length === 0 ? null : (
        <FoldTable
          caption={boardWords.extras}
          columns={ofExtras}
          rows={extras}
          keyOf={({ network, coin }) => `${network} ${coin}`}
        />
      )}
      {others === 0 ? null : <p>{boardWords.otherLocks(others)}</p>}
    </section>
  );
}
