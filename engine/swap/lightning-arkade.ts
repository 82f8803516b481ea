import type { PublicKey, Sha256 } from '../domain/hash.ts';
import type { Sats } from '../domain/money.ts';
import { sameOutpoint, type Outpoint, type Txid } from '../domain/outpoint.ts';
import type { SwapStatus } from '../domain/status.ts';
import { type Clocks, type Unix } from '../domain/time.ts';
import { safeToLock, safeToRefund, type Safety } from '../legs/safety.ts';
import { preimageMatches } from '../legs/secret.ts';
import type { TimeoutPolicy } from '../legs/timelocks.ts';
import type { VhtlcTerms } from '../legs/vhtlc/terms.ts';
import { move, type Effect, type Event, type Machine, type OnlyIf, type Outcome, type SeenCoin, type Watch } from './machine.ts';

/**
 * Lightning to Arkade. The client pays a hold invoice, the service locks a VHTLC under the same hash, the client claims
 * it and so reveals the preimage, the service settles the held payment (spec, flow 2; design decision 20).
 *
 * Loses money when wrong: a VHTLC locked for a payment that is not held, or held for less time than the VHTLC lives; a
 * hold invoice cancelled while the VHTLC can still be claimed; a preimage seen and not used.
 */
export interface LightningArkadeTerms {
  readonly hash: Sha256;
  /** What the invoice asks for. */
  readonly sourceAmount: Sats;
  /** What the VHTLC holds. */
  readonly targetAmount: Sats;
  readonly feeSats: Sats;
  readonly networkFeeSats: Sats;
  readonly vhtlc: VhtlcTerms;
  readonly script: Uint8Array;
  readonly address: string;
  readonly keyIndex: number;
  readonly serverKey: PublicKey;
  /** The client's claim key as it was sent, for the record. */
  readonly clientKeyText: string;
  readonly targetArkadeAddress: string;
  readonly description: string;
  /** End of the funding window and expiry of the invoice. */
  readonly fundBefore: Unix;
  /** Final CLTV delta of the hold invoice, in blocks. */
  readonly cltvDelta: number;
  /** Last moment at which the VHTLC may be locked: after it the client could not claim in good time. */
  readonly lockBefore: Unix;
  /** The timeouts' relations as they were agreed. */
  readonly policy: TimeoutPolicy;
  /** Coins given to the VHTLC must not expire before this. */
  readonly minCoinExpiry: Unix;
}

interface Invoice {
  readonly bolt11: string;
  readonly invoiceExpiresAt: Unix;
}

interface Locked extends Invoice {
  readonly lock: Outpoint;
}

export type LightningArkadeProgress =
  | { readonly at: 'opening' }
  | { readonly at: 'abandoning'; readonly reason: string }
  | { readonly at: 'unopened'; readonly reason: string }
  | ({ readonly at: 'pending' } & Invoice)
  | ({ readonly at: 'expiring' } & Invoice)
  | ({ readonly at: 'expired' } & Invoice)
  | ({ readonly at: 'held'; readonly expiryHeight: number } & Invoice)
  | ({ readonly at: 'locking'; readonly expiryHeight: number } & Locked)
  | ({ readonly at: 'locked' } & Locked)
  | ({ readonly at: 'refunding'; readonly refundTxid: Txid | null } & Locked)
  | ({ readonly at: 'refunded'; readonly refundTxid: Txid } & Locked)
  | ({ readonly at: 'returned'; readonly refundTxid: Txid } & Locked)
  | ({ readonly at: 'claimed'; readonly claimTxid: Txid | null } & Locked)
  | ({ readonly at: 'settled'; readonly claimTxid: Txid | null } & Locked)
  | ({ readonly at: 'declining'; readonly reason: string } & Invoice)
  | ({ readonly at: 'declined'; readonly reason: string } & Invoice);

type P = LightningArkadeProgress;
type T = LightningArkadeTerms;

const statuses: Record<P['at'], SwapStatus> = {
  opening: 'pending',
  abandoning: 'pending',
  unopened: 'expired',
  pending: 'pending',
  expiring: 'pending',
  expired: 'expired',
  held: 'clientfunded',
  locking: 'clientfunded',
  locked: 'serverfunded',
  refunding: 'serverfunded',
  refunded: 'clientfundedserverrefunded',
  returned: 'clientrefundedserverrefunded',
  claimed: 'clientredeemed',
  settled: 'serverredeemed',
  declining: 'serverwontfund',
  declined: 'serverwontfund',
};

const ended: ReadonlySet<P['at']> = new Set(['unopened', 'expired', 'returned', 'settled', 'declined']);

export function openingEffects(t: T): Effect[] {
  return [{ do: 'hold.create', hash: t.hash, amount: t.sourceAmount, description: t.description, expiresAt: t.fundBefore, cltvDelta: t.cltvDelta }];
}

function invoiceOf(p: Invoice): Invoice {
  return { bolt11: p.bolt11, invoiceExpiresAt: p.invoiceExpiresAt };
}

function lockOf(p: Locked): Locked {
  return { ...invoiceOf(p), lock: p.lock };
}

function judgeLock(t: T, held: { amount: Sats; expiryHeight: number }, now: Clocks): Safety {
  return safeToLock({ fence: 'open', held, sourceAmount: t.sourceAmount, vhtlcRefundLocktime: t.vhtlc.refundLocktime }, now, t.policy);
}

function whenHeld(t: T, p: Invoice, event: Event, now: Clocks): Outcome<P> {
  if (event.is !== 'hold.seen') return 'stay';
  if (event.state.is === 'cancelled') return move({ at: 'expired', ...invoiceOf(p) });
  if (event.state.is !== 'held') return 'stay';
  const unsafe = judgeLock(t, event.state, now);
  if (unsafe !== null) return unsafe.unsafe === 'wait' ? 'stay' : decline(t, p, unsafe.sentence);
  return move<P>(
    { at: 'held', expiryHeight: event.state.expiryHeight, ...invoiceOf(p) },
    lockEffect(t),
  );
}

function lockEffect(t: T): Effect {
  return { do: 'vhtlc.lock', script: t.script, amount: t.targetAmount, minExpiry: t.minCoinExpiry, ownScript: true };
}

/**
 * A database that was restored from a backup knows nothing of a lock that exists: it is taken for what it is, and none
 * is made beside it (faults.md 5). Whoever sent the coin, it is the client's for its secret and ours after the locktime.
 */
function lockFound(t: T, p: Invoice, coins: readonly SeenCoin[]): Outcome<P> {
  const lock = coins.find(({ amount }) => amount === t.targetAmount);
  return lock === undefined ? 'stay' : { progress: { at: 'locked', lock: lock.outpoint, ...invoiceOf(p) }, effects: [], supersedes: true };
}

function decline(t: T, p: Invoice, reason: string): Outcome<P> {
  return { progress: { at: 'declining', reason, ...invoiceOf(p) }, effects: [{ do: 'hold.cancel', hash: t.hash }], supersedes: true };
}

/** Prepared but not sent: this commit is the write-ahead record of the lock, and the last look before it. */
function whenPrepared(t: T, p: P & { at: 'held' }, event: Event, now: Clocks): Outcome<P> {
  if (event.is === 'hold.seen' && event.state.is === 'cancelled') {
    return { progress: { at: 'declined', reason: 'the held payment went back', ...invoiceOf(p) }, effects: [], supersedes: true };
  }
  if (event.is === 'vhtlc.refused' && event.purpose === 'lock') return decline(t, p, event.reason);
  if (event.is === 'clock' && now.wall > t.lockBefore) return decline(t, p, 'too little time is left for the client to claim');
  if (event.is === 'vhtlc.seen') return lockFound(t, p, event.coins);
  if (event.is !== 'vhtlc.prepared' || event.purpose !== 'lock') return 'stay';
  const unsafe = judgeLock(t, { amount: t.sourceAmount, expiryHeight: p.expiryHeight }, now);
  if (unsafe !== null) return decline(t, p, unsafe.sentence);
  return move<P>(
    { at: 'locking', expiryHeight: p.expiryHeight, lock: event.output, ...invoiceOf(p) },
    {
      do: 'vhtlc.submit',
      purpose: 'lock',
      txid: event.txid,
      onlyIf: whileHeld(t),
    },
  );
}

function whileHeld(t: T): OnlyIf {
  return {
    notAfter: t.lockBefore,
    held: { hash: t.hash, sourceAmount: t.sourceAmount, vhtlcRefundLocktime: t.vhtlc.refundLocktime, policy: t.policy },
  };
}

function whenLocking(t: T, p: P & { at: 'locking' }, event: Event): Outcome<P> {
  if (event.is === 'vhtlc.accepted' && event.purpose === 'lock') return move<P>(p, { do: 'vhtlc.finalize', purpose: 'lock', txid: event.txid, onlyIf: whileHeld(t) });
  if (event.is === 'vhtlc.final' && event.purpose === 'lock') return move<P>({ at: 'locked', ...lockOf(p) });
  // Other coins of ours went into another transaction first; this lock never was, so another may be made.
  if (event.is === 'vhtlc.refused' && event.purpose === 'lock' && event.why === 'spent') {
    return move<P>(
      { at: 'held', expiryHeight: p.expiryHeight, ...invoiceOf(p) },
      lockEffect(t),
    );
  }
  // Refused means that this lock does not exist: coins of ours went elsewhere, or it was never sent.
  if (event.is === 'vhtlc.refused' && event.purpose === 'lock') return decline(t, p, event.reason);
  return claimSeen(t, p, event) ?? 'stay';
}

/** The client's claim, of exactly our lock, with a preimage that fits: from here on we only finish. */
function claimSeen(t: T, p: Locked, event: Event): Outcome<P> | null {
  if (event.is === 'claim.relayed') return event.coins.some((coin) => sameOutpoint(coin, p.lock)) ? claimedWith(t, p, event.preimage, event.txid) : null;
  const coin = lockedCoin(p, event);
  if (coin === null || coin.spend === null || coin.spend === 'unknown' || coin.spend.leaf !== 'claim') return null;
  return claimedWith(t, p, coin.spend.preimage, coin.spentIn ?? coin.settledBy);
}

function claimedWith(t: T, p: Locked, candidate: Uint8Array, claimTxid: Txid | null): Outcome<P> | null {
  const preimage = preimageMatches(t.hash, candidate);
  if (preimage === null) return null;
  return {
    progress: { at: 'claimed', claimTxid, ...lockOf(p) },
    effects: [{ do: 'hold.settle', hash: t.hash }],
    // A refund of ours that has not been sent would only race a claim that already happened.
    supersedes: true,
    learned: preimage,
  };
}

function lockedCoin(p: Locked, event: Event): SeenCoin | null {
  if (event.is !== 'vhtlc.seen') return null;
  return event.coins.find((coin) => sameOutpoint(coin.outpoint, p.lock)) ?? null;
}

function whenLocked(t: T, p: P & { at: 'locked' }, event: Event, now: Clocks): Outcome<P> {
  const claimed = claimSeen(t, p, event);
  if (claimed !== null) return claimed;
  if (event.is === 'clock' && safeToRefund({ fence: 'open', refundLocktime: t.vhtlc.refundLocktime }, now) === null) {
    return move<P>({ at: 'refunding', refundTxid: null, ...lockOf(p) }, refundEffect(t, p));
  }
  return foreignSpend(p, event);
}

function refundEffect(t: T, p: Locked): Effect {
  return { do: 'vhtlc.refund', terms: t.vhtlc, script: t.script, key: { branch: 'swap', index: t.keyIndex }, coin: p.lock };
}

/** The operator says "spent", and no leaf of the script explains it: its word is not the script's verdict. */
function foreignSpend(p: P & Locked, event: Event): Outcome<P> {
  const coin = lockedCoin(p, event);
  if (coin === null || !coin.spent || coin.spend !== 'unknown') return 'stay';
  return { progress: p, effects: [], flag: 'The operator reports our VHTLC as spent by a transaction that fits none of its leaves: stop using this operator and unroll the coin.' };
}

/** Only we can sign the refund leaf alone: a refund of ours whose end was forgotten, in a restored database for one. */
function refundTaken(t: T, p: P & { at: 'refunding' }, event: Event): Outcome<P> {
  const coin = lockedCoin(p, event);
  if (coin === null || coin.spend === null || coin.spend === 'unknown' || coin.spend.leaf !== 'refund-without-receiver') return foreignSpend(p, event);
  // Accepted is not final: while the transaction is the one that we prepared, our own finalize goes on.
  if (p.refundTxid !== null && coin.spentIn === p.refundTxid) return 'stay';
  const refundTxid = coin.settledBy ?? coin.spentIn;
  return refundTxid === null ? 'stay' : refunded(t, p, refundTxid);
}

function refunded(t: T, p: Locked, refundTxid: Txid): Outcome<P> {
  return move<P>({ at: 'refunded', refundTxid, ...lockOf(p) }, { do: 'hold.cancel', hash: t.hash });
}

function whenRefunding(t: T, p: P & { at: 'refunding' }, event: Event): Outcome<P> {
  const claimed = claimSeen(t, p, event);
  if (claimed !== null) return claimed;
  switch (event.is) {
    case 'vhtlc.seen':
      return refundTaken(t, p, event);
    case 'vhtlc.prepared':
      return event.purpose === 'refund'
        ? move<P>({ ...p, refundTxid: event.txid }, { do: 'vhtlc.submit', purpose: 'refund', txid: event.txid })
        : 'stay';
    case 'vhtlc.accepted':
      return event.purpose === 'refund' ? move<P>(p, { do: 'vhtlc.finalize', purpose: 'refund', txid: event.txid }) : 'stay';
    case 'vhtlc.final':
      // Only now is a claim impossible, and only now may the held payment go back (faults.md 27).
      return event.purpose === 'refund' ? refunded(t, p, event.txid) : 'stay';
    case 'vhtlc.refused':
      if (event.purpose !== 'refund' || event.why === 'spent') return 'stay';
      if (event.why === 'recoverable') {
        return move<P>(p, { do: 'vhtlc.settle', purpose: 'refund', terms: t.vhtlc, script: t.script, key: { branch: 'swap', index: t.keyIndex }, coin: p.lock });
      }
      return { progress: { ...p, refundTxid: null }, effects: [refundEffect(t, p)], flag: `The operator refused our refund: ${event.reason}.` };
    default:
      return 'stay';
  }
}

function whenClaimed(t: T, p: P & { at: 'claimed' }, event: Event): Outcome<P> {
  const settled = event.is === 'hold.settled' || (event.is === 'hold.seen' && event.state.is === 'settled');
  if (settled) {
    return {
      progress: { ...p, at: 'settled' },
      effects: [],
      ledger: [
        { kind: 'protocol-fee', amountMsat: t.feeSats * 1_000n },
        { kind: 'network-fee-charged', amountMsat: t.networkFeeSats * 1_000n },
      ],
    };
  }
  if (event.is === 'hold.seen' && (event.state.is === 'cancelled' || event.state.is === 'absent')) {
    return { progress: p, effects: [], flag: 'The client claimed the VHTLC but the held payment is gone: the settlement came too late.' };
  }
  return 'stay';
}

function abandon(t: T, reason: string): Outcome<P> {
  return move<P>({ at: 'abandoning', reason }, { do: 'hold.cancel', hash: t.hash });
}

/** The held payment is with the client again, or there never was one and never will be. */
function wentBack(event: Event): boolean {
  return event.is === 'hold.cancelled' || (event.is === 'hold.seen' && event.state.is === 'cancelled');
}

function step(t: T, p: P, event: Event, now: Clocks): Outcome<P> {
  switch (p.at) {
    case 'opening':
      if (event.is === 'hold.created') return move<P>({ at: 'pending', bolt11: event.bolt11, invoiceExpiresAt: event.expiresAt });
      if (event.is === 'abandoned') return abandon(t, event.reason);
      // Nobody waits for the answer any more: a restart ended the request, and the node was away until now.
      if (event.is === 'clock' && now.wall >= t.fundBefore) return abandon(t, 'the Lightning node took the invoice too late or not at all');
      if (event.is === 'hold.refused') return move<P>({ at: 'unopened', reason: event.reason });
      return 'stay';
    case 'abandoning':
      return event.is === 'hold.cancelled' ? move<P>({ at: 'unopened', reason: p.reason }) : 'stay';
    case 'pending':
      if (event.is === 'clock' && now.wall >= p.invoiceExpiresAt) return move<P>({ at: 'expiring', ...invoiceOf(p) }, { do: 'hold.cancel', hash: t.hash });
      return whenHeld(t, p, event, now);
    case 'expiring':
      // A payment that arrived in the last moment goes back with the cancellation.
      return wentBack(event) ? move<P>({ at: 'expired', ...invoiceOf(p) }) : 'stay';
    case 'held':
      return whenPrepared(t, p, event, now);
    case 'locking':
      return whenLocking(t, p, event);
    case 'locked':
      return whenLocked(t, p, event, now);
    case 'refunding':
      return whenRefunding(t, p, event);
    case 'refunded':
      return wentBack(event) ? move<P>({ ...p, at: 'returned' }) : 'stay';
    case 'claimed':
      return whenClaimed(t, p, event);
    case 'declining':
      return wentBack(event) ? move<P>({ at: 'declined', reason: p.reason, ...invoiceOf(p) }) : 'stay';
    default:
      return 'stay';
  }
}

function watches(t: T, p: P): Watch[] {
  const hold: Watch = { on: 'hold', hash: t.hash };
  const vhtlc: Watch = { on: 'vhtlc', terms: t.vhtlc, script: t.script };
  switch (p.at) {
    case 'pending':
    case 'expiring':
    case 'held':
    case 'declining':
    case 'claimed':
    case 'refunded':
      return [hold];
    case 'locking':
    case 'locked':
    case 'refunding':
      return [vhtlc];
    default:
      return [];
  }
}

function deadline(t: T, p: P): Unix | null {
  switch (p.at) {
    case 'opening':
      return t.fundBefore;
    case 'pending':
      return p.invoiceExpiresAt;
    case 'held':
      return t.lockBefore;
    case 'locked':
      return t.vhtlc.refundLocktime;
    default:
      return null;
  }
}

const nextActions: Record<P['at'], string> = {
  opening: 'we create the invoice',
  abandoning: 'we cancel an invoice that nobody was given',
  unopened: 'nothing: it was never opened',
  pending: 'the client pays the invoice',
  expiring: 'we cancel the invoice',
  expired: 'nothing: it expired',
  held: 'we lock the VHTLC',
  locking: 'the operator takes our VHTLC',
  locked: 'the client claims the VHTLC',
  refunding: 'we take our VHTLC back',
  refunded: 'we give the held payment back',
  returned: 'nothing: both sides have their money back',
  claimed: 'we settle the held payment',
  settled: 'nothing: it is done',
  declining: 'we give the held payment back',
  declined: 'nothing: the payment went back',
};

export const lightningArkade: Machine<T, P> = {
  name: 'lightning-arkade',
  step,
  watches,
  deadline,
  status: (p) => statuses[p.at],
  open: (_, p) => !ended.has(p.at),
  reserves: (p) => p.at === 'opening' || p.at === 'pending' || p.at === 'held',
  untold: (p) => p.at === 'unopened',
  hash160: (t) => t.vhtlc.hash,
  nextAction: (_, p) => nextActions[p.at],
};
