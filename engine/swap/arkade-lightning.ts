import type { PublicKey, Sha256 } from '../domain/hash.ts';
import { noSats, type Sats } from '../domain/money.ts';
import { sameOutpoint, type Outpoint, type Txid } from '../domain/outpoint.ts';
import type { SwapStatus } from '../domain/status.ts';
import { after, day, type Clocks, type Unix } from '../domain/time.ts';
import type { PaymentState } from '../legs/lightning/port.ts';
import { safeToPay } from '../legs/safety.ts';
import type { TimeoutPolicy } from '../legs/timelocks.ts';
import { accept } from '../legs/vhtlc/acceptance.ts';
import type { VhtlcTerms } from '../legs/vhtlc/terms.ts';
import { move, type Effect, type Event, type Machine, type Outcome, type SeenCoin, type Step, type Watch } from './machine.ts';
import { owed, sameStrays, straysBeside, type Stray } from './source.ts';

/**
 * Arkade to Lightning. The client funds a VHTLC locked to the payment hash of an invoice; once the coin is good the
 * service pays the invoice, and the preimage that the payment reveals claims the VHTLC (spec, flow 1).
 *
 * Loses money when wrong: a payment started for a coin that is short, gone, or expires before it can be claimed; a
 * refund cosigned while the payment may still settle; a claim given up after the payment settled.
 */
export interface ArkadeLightningTerms {
  /** The invoice's payment hash. */
  readonly hash: Sha256;
  /** What the VHTLC must hold. */
  readonly sourceAmount: Sats;
  /** What the invoice pays. */
  readonly targetAmount: Sats;
  readonly feeSats: Sats;
  readonly networkFeeSats: Sats;
  readonly vhtlc: VhtlcTerms;
  readonly script: Uint8Array;
  readonly address: string;
  readonly keyIndex: number;
  readonly serverKey: PublicKey;
  /** The client's refund key as it was sent, for the record. */
  readonly clientKeyText: string;
  readonly bolt11: string;
  readonly invoiceExpiresAt: Unix;
  /** Most that routing may cost: fee and network fee of the swap, never on top of them. */
  readonly maxFeeMsat: bigint;
  /** Height given to the Lightning node as the end of every HTLC of the payment. */
  readonly maxTimeoutHeight: number;
  readonly toleranceBps: number;
  /** End of the funding window. */
  readonly fundBefore: Unix;
  /** No payment is started after this moment. */
  readonly payBefore: Unix;
  /** A coin that expires sooner than this could be taken back while we pay (arkade.md 2.8 item 1). */
  readonly minCoinExpiry: Unix;
  readonly finalCltv: number;
  readonly policy: TimeoutPolicy;
}

/** What is left at the address is the client's to take alone, and has been for a day: it is not watched any more. */
interface Unwatched {
  readonly unwatched?: true;
}

interface Funded {
  readonly coin: Outpoint;
  readonly surplus: Sats;
  readonly strays: readonly Stray[];
}

export type StoppedFor = 'expired' | 'invalid' | 'late' | 'wont';

export type ArkadeLightningProgress =
  /** `fenced`: we signed a refund, so that no coin will ever be paid for. */
  | { readonly at: 'pending'; readonly fenced: boolean }
  | ({ readonly at: 'funded' } & Funded)
  | ({ readonly at: 'paying' } & Funded)
  | ({ readonly at: 'claiming'; readonly claimTxid: Txid | null } & Funded)
  | ({ readonly at: 'claimed'; readonly claimTxid: Txid | null } & Funded & Unwatched)
  /** The client left with the coin after the payment settled. */
  | ({ readonly at: 'lost' } & Funded & Unwatched)
  | ({ readonly at: 'stopped'; readonly why: StoppedFor; readonly reason: string; readonly fenced: boolean; readonly strays: readonly Stray[] } & Unwatched)
  /** Never funded, and so late that a client who funds it now can take the coin back alone at once: no longer watched. */
  | { readonly at: 'lapsed'; readonly fenced: boolean }
  | ({ readonly at: 'refunded'; readonly refundTxid: Txid | null; readonly strays: readonly Stray[] } & Unwatched);

type P = ArkadeLightningProgress;
type T = ArkadeLightningTerms;

const stoppedStatuses: Record<StoppedFor, SwapStatus> = {
  expired: 'expired',
  invalid: 'clientinvalidfunded',
  late: 'clientfundedtoolate',
  wont: 'serverwontfund',
};

function status(p: P): SwapStatus {
  switch (p.at) {
    case 'pending':
      return 'pending';
    case 'funded':
      return 'clientfunded';
    case 'paying':
      return 'serverfunded';
    case 'claiming':
      return 'clientredeemed';
    case 'claimed':
      return 'serverredeemed';
    case 'lost':
      return 'clientredeemedandclientrefunded';
    case 'stopped':
      return stoppedStatuses[p.why];
    case 'lapsed':
      return 'expired';
    case 'refunded':
      return 'clientrefunded';
  }
}

function stop(why: StoppedFor, reason: string, fenced: boolean, strays: readonly Stray[]): Step<P> {
  return move<P>({ at: 'stopped', why, reason, fenced, strays });
}

function whenPending(t: T, p: P & { at: 'pending' }, event: Event, now: Clocks): Outcome<P> {
  if (event.is === 'clock') return now.wall >= t.fundBefore ? stop('expired', 'nothing was funded in time', p.fenced, []) : 'stay';
  if (event.is === 'refund.cosign.requested') return move<P>({ at: 'pending', fenced: true });
  if (event.is !== 'vhtlc.seen' || event.coins.length === 0) return 'stay';
  const strays = straysBeside(event.coins, null, []);
  if (p.fenced) return stop('late', 'the coin came after we had signed a refund', true, strays);
  if (now.wall >= t.fundBefore || now.wall >= t.payBefore) return stop('late', 'the coin came after the funding window', false, strays);
  const verdict = accept({
    amount: t.sourceAmount,
    toleranceBps: t.toleranceBps,
    minExpiry: t.minCoinExpiry,
    coins: event.coins,
    now,
  });
  switch (verdict.is) {
    case 'none':
      return 'stay';
    case 'accepted': {
      const unsafe = safeToPay({ fence: 'open', coin: verdict.coin, ...paymentFacts(t) }, now, t.policy);
      if (unsafe !== null) return unsafe.unsafe === 'wait' ? 'stay' : stop('late', unsafe.sentence, false, strays);
      const funded: Funded = {
        coin: verdict.coin.outpoint,
        surplus: verdict.surplus,
        strays: straysBeside(event.coins, verdict.coin.outpoint, []),
      };
      return move<P>({ at: 'funded', ...funded }, payEffect(t, funded));
    }
    case 'invalid':
      return stop('invalid', verdict.reason, false, strays);
  }
}

function paymentFacts(t: T) {
  return {
    sourceAmount: t.sourceAmount,
    refundLocktime: t.vhtlc.refundLocktime,
    maxTimeoutHeight: t.maxTimeoutHeight,
    finalCltv: t.finalCltv,
    invoiceExpiresAt: t.invoiceExpiresAt,
  };
}

function payEffect(t: T, p: Funded): Effect {
  return {
    do: 'pay',
    payment: { bolt11: t.bolt11, hash: t.hash, amount: t.targetAmount, maxFeeMsat: t.maxFeeMsat, maxTimeoutHeight: t.maxTimeoutHeight },
    onlyIf: {
      notAfter: t.payBefore,
      coin: {
        script: t.script,
        outpoint: p.coin,
        sourceAmount: t.sourceAmount,
        refundLocktime: t.vhtlc.refundLocktime,
        finalCltv: t.finalCltv,
        invoiceExpiresAt: t.invoiceExpiresAt,
        policy: t.policy,
      },
    },
  };
}

function fundedOf(p: Funded): Funded {
  return { coin: p.coin, surplus: p.surplus, strays: p.strays };
}

/** Later coins at the address of a swap that has its coin: noted, whatever else the event means. */
function withStrays<S extends P & Funded>(p: S, event: Event): S {
  if (event.is !== 'vhtlc.seen') return p;
  const strays = straysBeside(event.coins, p.coin, p.strays);
  return sameStrays(strays, p.strays) ? p : { ...p, strays };
}

/** Paying or about to pay: the payment's fate alone decides, whatever becomes of the coin. */
function whilePaying(t: T, p: P & { at: 'funded' | 'paying' }, event: Event, now: Clocks): Outcome<P> {
  switch (event.is) {
    case 'payment.started':
      return p.at === 'funded' ? move<P>({ at: 'paying', ...fundedOf(p) }) : 'stay';
    case 'payment.refused':
      // Once the node carries it, only the payment's own state says that it failed.
      return p.at === 'funded' ? stop('wont', event.reason, false, ownCoins(t, p)) : 'stay';
    case 'payment.seen':
      return whenPaymentSeen(t, p, event, now);
    case 'vhtlc.seen': {
      const next = withStrays(p, event);
      return next === p ? 'stay' : move<P>(next);
    }
    default:
      return 'stay';
  }
}

function whenPaymentSeen(t: T, p: P & { at: 'funded' | 'paying' }, event: Event & { is: 'payment.seen' }, now: Clocks): Outcome<P> {
  switch (event.state.is) {
    case 'settled':
      return {
        progress: { at: 'claiming', claimTxid: null, ...fundedOf(p) },
        effects: [claimEffect(t, p)],
        learned: event.state.preimage,
        ledger: [{ kind: 'lightning-fee-paid', amountMsat: -event.state.feeMsat }],
      };
    case 'failed':
      return stop('wont', event.state.reason, false, ownCoins(t, p));
    case 'in-flight':
      return p.at === 'funded' ? move<P>({ at: 'paying', ...fundedOf(p) }) : 'stay';
    case 'absent':
      // A node that forgot a payment does not prove that it failed: only the end of every possible HTLC does (faults.md 23).
      return p.at === 'paying' && now.height !== null && now.height > t.maxTimeoutHeight + blocksAfterTimeout
        ? stop('wont', 'the Lightning node lost the payment and every HTLC of it has timed out', false, ownCoins(t, p))
        : 'stay';
  }
}

/** Blocks after the last HTLC's timeout until a lost payment counts as failed: a timeout needs to be mined and buried. */
const blocksAfterTimeout = 144;

function ownCoins(t: T, p: Funded): Stray[] {
  return [{ outpoint: p.coin, amount: (t.sourceAmount + p.surplus) as Sats, spent: false }, ...p.strays];
}

function claimEffect(t: T, p: Funded): Effect {
  return { do: 'vhtlc.claim', terms: t.vhtlc, script: t.script, key: { branch: 'swap', index: t.keyIndex }, coin: p.coin };
}

/** The payment settled: nothing but the coin's provable end stops the claim. */
function whenClaiming(t: T, p: P & { at: 'claiming' }, event: Event): Outcome<P> {
  switch (event.is) {
    case 'vhtlc.prepared':
      return event.purpose === 'claim'
        ? move<P>({ ...p, claimTxid: event.txid }, { do: 'vhtlc.submit', purpose: 'claim', txid: event.txid })
        : 'stay';
    case 'vhtlc.accepted':
      return event.purpose === 'claim' ? move<P>(p, { do: 'vhtlc.finalize', purpose: 'claim', txid: event.txid }) : 'stay';
    case 'vhtlc.final':
      return event.purpose === 'claim' ? claimed(t, p, event.txid) : 'stay';
    case 'vhtlc.refused':
      return event.purpose === 'claim' ? claimRefused(t, p, event.why, event.reason) : 'stay';
    case 'vhtlc.seen':
      return whenCoinSeen(t, p, event);
    default:
      return 'stay';
  }
}

function claimed(t: T, p: Funded, claimTxid: Txid): Step<P> {
  return {
    progress: { at: 'claimed', claimTxid, ...fundedOf(p) },
    effects: [],
    ledger: [
      { kind: 'protocol-fee', amountMsat: t.feeSats * 1_000n },
      { kind: 'network-fee-charged', amountMsat: t.networkFeeSats * 1_000n },
      ...(p.surplus > noSats ? [{ kind: 'surplus' as const, amountMsat: p.surplus * 1_000n }] : []),
    ],
  };
}

function claimRefused(t: T, p: P & { at: 'claiming' }, why: 'spent' | 'recoverable' | 'late' | 'refused', reason: string): Outcome<P> {
  if (why === 'spent') return 'stay'; // the watch tells by whom
  if (why === 'recoverable') {
    return move<P>(p, { do: 'vhtlc.settle', purpose: 'claim', terms: t.vhtlc, script: t.script, key: { branch: 'swap', index: t.keyIndex }, coin: p.coin });
  }
  return { progress: { ...p, claimTxid: null }, effects: [claimEffect(t, p)], flag: `The operator refused our claim: ${reason}.` };
}

function whenCoinSeen(t: T, p: P & { at: 'claiming' }, event: Event & { is: 'vhtlc.seen' }): Outcome<P> {
  const coin = event.coins.find((seen) => sameOutpoint(seen.outpoint, p.coin));
  if (coin?.spent === true && coin.spend !== null) {
    if (coin.spend === 'unknown') return { progress: p, effects: [], flag: 'The operator reports the coin that we must claim as spent by a transaction that fits none of its leaves.' };
    if (coin.spend.leaf === 'claim') return claimTaken(t, p, coin);
    return {
      progress: { at: 'lost', ...fundedOf(p) },
      effects: [],
      flag: 'The client took the VHTLC back although the payment had settled.',
    };
  }
  const next = withStrays(p, event);
  return next === p ? 'stay' : move<P>(next);
}

/** Spent by the claim leaf: only the receiver, us, can sign that. Accepted is not final: our own finalize goes on. */
function claimTaken(t: T, p: P & { at: 'claiming' }, coin: SeenCoin): Outcome<P> {
  if (p.claimTxid !== null && coin.spentIn === p.claimTxid) return 'stay';
  const txid = coin.settledBy ?? coin.spentIn;
  return txid === null ? 'stay' : claimed(t, p, txid);
}

function whenStopped(t: T, p: P & { at: 'stopped' }, event: Event, now: Clocks): Outcome<P> {
  switch (event.is) {
    case 'refund.cosign.requested':
      return move<P>({ ...p, fenced: true });
    case 'payment.seen':
      // Impossible after a definite failure; if it happens all the same, the preimage is ours to use.
      return event.state.is === 'settled' ? lateSettlement(t, p, event.state) : 'stay';
    case 'vhtlc.seen':
      return stoppedCoins(p, event.coins);
    case 'clock':
      if (p.strays.length > 0) return leftAlone(t, p, now);
      return now.wall >= t.vhtlc.refundLocktime ? move<P>({ at: 'lapsed', fenced: p.fenced }) : 'stay';
    default:
      return 'stay';
  }
}

/**
 * A coin that its owner never takes would be watched for ever, and dust costs a stranger next to nothing: a day after
 * the client can help itself the watch ends. Our signature on its refund is still to be had.
 */
function leftAlone(t: T, p: P & { at: 'stopped' | 'claimed' | 'lost' | 'refunded' }, now: Clocks): Outcome<P> {
  return owed(p.strays) && p.unwatched !== true && now.wall >= leftAloneAt(t) ? move<P>({ ...p, unwatched: true }) : 'stay';
}

function leftAloneAt(t: T): Unix {
  return after(t.vhtlc.refundLocktime, day);
}

function lateSettlement(t: T, p: P & { at: 'stopped' }, { preimage, feeMsat }: PaymentState & { is: 'settled' }): Outcome<P> {
  const coin = p.strays.find((stray) => !stray.spent);
  // The client holds our signature on its refund, which closed the claim for good: a person has to look.
  if (coin === undefined || p.fenced) {
    return { progress: p, effects: [], learned: preimage, flag: 'A payment that had failed settled after all, and the VHTLC is refunded or may be.' };
  }
  const funded: Funded = { coin: coin.outpoint, surplus: noSats, strays: p.strays.filter((stray) => stray !== coin) };
  return {
    progress: { at: 'claiming', claimTxid: null, ...funded },
    effects: [claimEffect(t, funded)],
    learned: preimage,
    ledger: [{ kind: 'lightning-fee-paid', amountMsat: -feeMsat }],
    flag: 'A payment that had failed settled after all.',
  };
}

function stoppedCoins(p: P & { at: 'stopped' }, coins: readonly SeenCoin[]): Outcome<P> {
  if (coins.length === 0) return 'stay';
  const strays = straysBeside(coins, null, p.strays);
  if (!owed(strays)) return move<P>({ at: 'refunded', refundTxid: coins[0]?.spentIn ?? coins[0]?.settledBy ?? null, strays });
  if (sameStrays(strays, p.strays)) return 'stay';
  return p.why === 'expired' ? stop('late', 'the coin came after the funding window', p.fenced, strays) : move<P>({ ...p, strays });
}

/** Done with its coin; further ones at the same address are listed, and we sign their refund. */
function whenOver(t: T, p: P & { at: 'claimed' | 'lost' }, event: Event, now: Clocks): Outcome<P> {
  if (event.is === 'clock') return leftAlone(t, p, now);
  if (event.is === 'refund.cosign.requested') {
    const touchesOurs = event.coins.some((coin) => sameOutpoint(coin, p.coin));
    return touchesOurs || event.coins.length === 0 ? 'stay' : move<P>(p);
  }
  const next = withStrays(p, event);
  return next === p ? 'stay' : move<P>(next);
}

function step(t: T, p: P, event: Event, now: Clocks): Outcome<P> {
  switch (p.at) {
    case 'pending':
      return whenPending(t, p, event, now);
    case 'funded':
    case 'paying':
      return whilePaying(t, p, event, now);
    case 'claiming':
      return whenClaiming(t, p, event);
    case 'stopped':
      return whenStopped(t, p, event, now);
    case 'claimed':
    case 'lost':
      return whenOver(t, p, event, now);
    case 'lapsed':
      if (event.is === 'refund.cosign.requested') return move<P>({ at: 'lapsed', fenced: true });
      return event.is === 'vhtlc.seen' && event.coins.length > 0
        ? stop('late', 'the coin came after the funding window', p.fenced, straysBeside(event.coins, null, []))
        : 'stay';
    case 'refunded': {
      if (event.is === 'clock') return leftAlone(t, p, now);
      if (event.is !== 'vhtlc.seen') return event.is === 'refund.cosign.requested' ? move<P>(p) : 'stay';
      const strays = straysBeside(event.coins, null, p.strays);
      return sameStrays(strays, p.strays) ? 'stay' : move<P>({ ...p, strays });
    }
  }
}

function watches(t: T, p: P): Watch[] {
  const vhtlc: Watch = { on: 'vhtlc', terms: t.vhtlc, script: t.script };
  const payment: Watch = { on: 'payment', hash: t.hash };
  // Until the payment was started the node knows nothing of its hash; the effect that starts it asks by itself.
  return p.at === 'paying' ? [payment, vhtlc] : [vhtlc];
}

function deadline(t: T, p: P): Unix | null {
  switch (p.at) {
    case 'pending':
      return t.fundBefore;
    case 'stopped':
      return p.strays.length === 0 ? t.vhtlc.refundLocktime : leftAloneAt(t);
    case 'claimed':
    case 'lost':
    case 'refunded':
      return owed(p.strays) ? leftAloneAt(t) : null;
    default:
      return null;
  }
}

/** An address may be paid late: it is watched until nothing is owed and the client can help itself. */
function open(_: T, p: P): boolean {
  switch (p.at) {
    case 'claimed':
    case 'refunded':
    case 'lost':
      return owed(p.strays) && p.unwatched !== true;
    case 'stopped':
      return p.unwatched !== true;
    case 'lapsed':
      return false;
    default:
      return true;
  }
}

function nextAction(t: T, p: P): string {
  switch (p.at) {
    case 'pending':
      return 'the client funds the VHTLC';
    case 'funded':
      return 'we pay the invoice';
    case 'paying':
      return 'the Lightning network carries the payment';
    case 'claiming':
      return 'we claim the VHTLC';
    case 'stopped':
      return p.strays.length === 0 ? 'nothing: it was never funded' : `the client takes the refund, alone from ${t.vhtlc.refundLocktime} on`;
    default:
      return 'nothing: it is over';
  }
}

export const arkadeLightning: Machine<T, P> = {
  name: 'arkade-lightning',
  step,
  watches,
  deadline,
  status,
  open,
  reserves: (p) => p.at === 'pending' || p.at === 'funded',
  untold: () => false,
  hash160: (t) => t.vhtlc.hash,
  nextAction,
};
