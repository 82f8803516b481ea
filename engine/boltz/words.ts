import type { SwapStatus } from '../domain/status.ts';
import type { Kind, Pair } from './pair.ts';

/** How far a swap is, by the words of this interface. */
export type Word =
  | 'swap.created'
  | 'swap.expired'
  | 'invoice.set'
  | 'invoice.expired'
  | 'invoice.pending'
  | 'invoice.paid'
  | 'invoice.settled'
  | 'invoice.failedToPay'
  | 'transaction.mempool'
  | 'transaction.confirmed'
  | 'transaction.claim.pending'
  | 'transaction.claimed'
  | 'transaction.lockupFailed'
  | 'transaction.failed'
  | 'transaction.refunded'
  | 'transaction.server.mempool'
  | 'transaction.server.confirmed';

/**
 * What each kind calls what we call so. Clients take their lock back by themselves on `swap.expired` alone where they
 * lock on Arkade, so that is the last word of their chain swaps however they failed; before it may come a quote.
 */
const words: Readonly<Record<Kind, Readonly<Record<SwapStatus, Word>>>> = {
  submarine: {
    pending: 'invoice.set',
    clientfundingseen: 'transaction.mempool',
    clientfunded: 'transaction.confirmed',
    serverfunded: 'invoice.pending',
    clientredeeming: 'invoice.pending',
    clientredeemed: 'invoice.paid',
    serverredeemed: 'transaction.claimed',
    clientredeemedandclientrefunded: 'transaction.claimed',
    clientinvalidfunded: 'transaction.lockupFailed',
    serverwontfund: 'invoice.failedToPay',
    clientrefunded: 'swap.expired',
    clientfundedtoolate: 'swap.expired',
    expired: 'swap.expired',
    clientfundedserverrefunded: 'invoice.failedToPay',
    clientrefundedserverfunded: 'invoice.pending',
    clientrefundedserverrefunded: 'swap.expired',
  },
  reverse: {
    pending: 'swap.created',
    clientfundingseen: 'swap.created',
    clientfunded: 'swap.created',
    serverfunded: 'transaction.mempool',
    clientredeeming: 'transaction.mempool',
    clientredeemed: 'transaction.confirmed',
    serverredeemed: 'invoice.settled',
    clientredeemedandclientrefunded: 'invoice.settled',
    clientinvalidfunded: 'transaction.failed',
    serverwontfund: 'transaction.failed',
    clientrefunded: 'transaction.failed',
    clientfundedtoolate: 'swap.expired',
    expired: 'swap.expired',
    clientfundedserverrefunded: 'transaction.refunded',
    clientrefundedserverfunded: 'transaction.mempool',
    clientrefundedserverrefunded: 'transaction.refunded',
  },
  chain: {
    pending: 'swap.created',
    clientfundingseen: 'transaction.mempool',
    clientfunded: 'transaction.confirmed',
    serverfunded: 'transaction.server.mempool',
    clientredeeming: 'transaction.server.mempool',
    clientredeemed: 'transaction.server.confirmed',
    serverredeemed: 'transaction.claimed',
    clientredeemedandclientrefunded: 'transaction.claimed',
    clientinvalidfunded: 'transaction.lockupFailed',
    serverwontfund: 'swap.expired',
    clientrefunded: 'swap.expired',
    clientfundedtoolate: 'swap.expired',
    expired: 'swap.expired',
    clientfundedserverrefunded: 'swap.expired',
    clientrefundedserverfunded: 'transaction.server.mempool',
    clientrefundedserverrefunded: 'swap.expired',
  },
};

/** Of a chain swap: our lock is ours again. */
const returned: ReadonlySet<SwapStatus> = new Set<SwapStatus>([
  'clientfundedserverrefunded',
  'clientrefundedserverrefunded',
]);

/** The word of a status, as far as the status alone says it. */
export function wordOf({ kind, from }: Pick<Pair, 'kind' | 'from'>, status: SwapStatus): Word {
  return kind === 'chain' && from === 'BTC' && returned.has(status) ? 'transaction.refunded' : words[kind][status];
}

/** Of our lock on Arkade, which is sure as soon as it is there: some clients claim it by the one word alone. */
const ofOurs: Readonly<Record<Kind, readonly Word[]>> = {
  submarine: [],
  reverse: ['transaction.mempool', 'transaction.confirmed'],
  chain: ['transaction.server.mempool', 'transaction.server.confirmed'],
};

/** Of a swap to Lightning whose claim by us is under way, and that its client cannot sign any more. */
const unsigned: Word = 'invoice.paid';

/** What is said to who was told `last` of a swap, where it is at `now`. */
export function wordsSince({ kind, to }: Pick<Pair, 'kind' | 'to'>, last: Word | null, now: Word): readonly Word[] {
  if (last === now || (last === 'transaction.claim.pending' && now === unsigned)) return [];
  // Clients that know no word of an invoice that expired go by the one after it (facts/boltz.md 20).
  if (kind === 'reverse' && now === 'swap.expired') return ['invoice.expired', now];
  const both = to === 'ARK' ? ofOurs[kind] : [];
  return both.at(-1) === now ? both : [now];
}

/** Nothing is given any more for what the client locked or will lock: it may have it back. */
export const givenUp: ReadonlySet<SwapStatus> = new Set<SwapStatus>([
  'clientinvalidfunded',
  'serverwontfund',
  'clientrefunded',
  'clientfundedtoolate',
  'expired',
  'clientfundedserverrefunded',
  'clientrefundedserverrefunded',
  // Its own coin is ours; others at the same address are its client's.
  'serverredeemed',
]);
