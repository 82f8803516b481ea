import type { WalletKind } from '../../domain/accounts.ts';
import type { Txid } from '../../domain/outpoint.ts';

/** A coin as the network lists it now, in the ledger's units, and the transaction or batch that made it. */
interface ListedCoin {
  readonly amount: bigint;
  readonly madeBy: Txid;
}

/** What became of a coin that is not listed any more, by the network's word. */
export type CoinEnd =
  | { readonly is: 'spent'; readonly by: Txid }
  /** It lies on another network now, and is ours there. */
  | { readonly is: 'left' }
  /** It is on its way, and will be told of. */
  | { readonly is: 'waits' }
  /** The network denies it. */
  | { readonly is: 'denied' };

/** Whose a transaction is by what this node wrote down before it was sent. */
export type Whose =
  /** `subject` is the swap or the job that it was for. */
  | { readonly is: 'ours'; readonly subject: string }
  /** It may be ours, and will be told. */
  | { readonly is: 'waits' }
  | { readonly is: 'unknown' };

/** Coins of one wallet as they are, and as the books have them. */
export interface CoinSight {
  /** What the wallet account holds; null before its books are open. */
  readonly balance: bigint | null;
  readonly booked: ReadonlyMap<string, bigint>;
  readonly listed: ReadonlyMap<string, ListedCoin>;
  /** Of every coin that is in the books and not listed. */
  readonly ends: ReadonlyMap<string, CoinEnd>;
  /** Whose the transaction is that spent the coin at this place, or made it. */
  whose(by: Txid, act: 'spent' | 'made', place: string): Whose;
}

/**
 * A line for the books, with the coin that it is for (empty for none): `keep` is its amount from here on, null where it
 * is spent.
 */
export interface CoinLine {
  readonly kind: WalletKind;
  readonly subject: string;
  readonly amount: bigint;
  readonly place: string;
  readonly keep: bigint | null;
  readonly note: string | null;
}

/** What a look at a wallet comes to. */
export interface Verdict {
  readonly lines: readonly CoinLine[];
  /** What the network has, with what is on its way, in the ledger's units. */
  readonly seen: bigint;
  readonly onItsWay: bigint;
  /** `seen` less what the books say once the lines are written: zero where both say the same. */
  readonly difference: bigint;
}

/**
 * What happened to the coins of a wallet since they were last kept, by the transactions that did it. What a transaction
 * of ours spent or made is booked to whoever it was for, and what somebody else's brought is the owner's deposit. What
 * left by a transaction that this node never made is explained by nobody: it stays in the books, and is the difference.
 */
export function judgeCoins({ balance, booked, listed, ends, whose }: CoinSight): Verdict {
  const total = [...listed.values()].reduce((sum, { amount }) => sum + amount, 0n);
  if (balance === null) {
    const lines = [...listed].map(([place, { amount }]) => lineOf('opening', place, amount, amount));
    if (lines.length === 0) lines.push(lineOf('opening', '', 0n, null));
    return { lines, seen: total, onItsWay: 0n, difference: 0n };
  }
  const lines: CoinLine[] = [];
  const unexplained = new Set<Txid>();
  let onItsWay = 0n;
  for (const [place, amount] of booked) {
    if (listed.has(place)) continue;
    const end = ends.get(place) ?? { is: 'waits' };
    const spender = end.is === 'spent' ? whose(end.by, 'spent', place) : null;
    if (end.is === 'left') lines.push(lineOf('moved', place, -amount, null, { note: 'taken to the chain' }));
    else if (end.is === 'waits' || spender?.is === 'waits') onItsWay += amount;
    else if (end.is === 'spent' && spender?.is === 'ours')
      lines.push(lineOf('moved', place, -amount, null, { subject: spender.subject, note: end.by }));
    else if (end.is === 'spent') unexplained.add(end.by);
  }
  for (const [place, { amount, madeBy }] of listed) {
    if (booked.has(place)) continue;
    const maker = whose(madeBy, 'made', place);
    if (maker.is === 'ours')
      lines.push(lineOf('moved', place, amount, amount, { subject: maker.subject, note: madeBy }));
    else if (maker.is === 'waits') onItsWay -= amount;
    // The change of what is explained by nobody is no deposit.
    else if (!unexplained.has(madeBy)) lines.push(lineOf('deposit', place, amount, amount, { note: madeBy }));
  }
  const seen = total + onItsWay;
  const after = lines.reduce((sum, { amount }) => sum + amount, balance);
  return { lines, seen, onItsWay, difference: seen - after };
}

function lineOf(
  kind: WalletKind,
  place: string,
  amount: bigint,
  keep: bigint | null,
  { subject = 'wallet', note = null }: { readonly subject?: string; readonly note?: string | null } = {},
): CoinLine {
  return { kind, subject, amount, place, keep, note };
}

/**
 * The lines that end a difference, by the owner's word: what is not there is kept no longer, what is there and was not
 * booked is kept, and what is left stands alone.
 */
export function writeOffCoins(sight: CoinSight, { difference }: Verdict, reason: string): readonly CoinLine[] {
  const denied = (place: string): boolean => {
    const end = sight.ends.get(place);
    return end?.is === 'denied' || (end?.is === 'spent' && sight.whose(end.by, 'spent', place).is === 'unknown');
  };
  const lost = [...sight.booked].filter(([place]) => !sight.listed.has(place) && denied(place));
  const change = [...sight.listed].filter(
    ([place, { madeBy }]) => !sight.booked.has(place) && sight.whose(madeBy, 'made', place).is === 'unknown',
  );
  const lines = [
    ...lost.map(([place, amount]) => lineOf('write-off', place, -amount, null, { note: reason })),
    ...change.map(([place, { amount }]) => lineOf('write-off', place, amount, amount, { note: reason })),
  ];
  const rest = lines.reduce((left, { amount }) => left - amount, difference);
  return rest === 0n ? lines : [...lines, lineOf('write-off', '', rest, null, { note: reason })];
}
