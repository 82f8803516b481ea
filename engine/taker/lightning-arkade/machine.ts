import { toHex } from '../../domain/hex.ts';
import type { SwapStatus } from '../../domain/status.ts';
import type { Clocks, Unix } from '../../domain/time.ts';
import type { SeenCoin } from '../../legs/arkade/events.ts';
import type { DecodeInvoice } from '../../legs/lightning/invoice.ts';
import { safeToReveal } from '../../legs/safety/reveal.ts';
import { locktimePassed } from '../../legs/timelocks.ts';
import {
  move,
  type Effect,
  type Event,
  type Machine,
  type Outcome,
  type Step,
  type Watch,
} from '../../swap/machine.ts';
import { clientMachine } from '../client.ts';
import { createAt, unpaidStatus, whenCreating } from '../opening.ts';
import { claimEffect, claimOf } from '../vhtlc-target/claiming.ts';
import { whenClaiming } from './claiming.ts';
import { rescue } from './rescue.ts';
import { shape } from './shape.ts';
import { lightningArkadeSteps } from './steps.ts';
import {
  dealtOf,
  lockerIsOut,
  type EndReason,
  type TakeLightningArkadeProgress,
  type TakeLightningArkadeTerms,
} from './terms.ts';
import { verifyLightningArkade } from './verify.ts';

/**
 * The client's half of Lightning to Arkade: we hold the secret, somebody pays the hold invoice, the provider locks a
 * VHTLC, and we claim it.
 *
 * Loses money when wrong: the secret given away for a VHTLC that is short, gone, about to expire or about to be taken
 * back: then the provider settles the payment and keeps its coins. As long as the secret stays here, the payment goes
 * back by itself.
 */
type T = TakeLightningArkadeTerms;
type P = TakeLightningArkadeProgress;

export function takeLightningArkadeEffects(t: T): Effect[] {
  const body = {
    arkade_htlc_script_version: 1,
    claim_pk: toHex(t.key),
    hash_lock: `0x${toHex(t.hash)}`,
    target_arkade_address: t.targetAddress,
    user_id: t.userId,
    source_amount_sats: Number(t.sourceAmount),
    invoice_description: t.description,
  };
  return createAt(t, 'lightning-arkade', body);
}

/** What a provider may say while nothing of it is on Arkade; anything else is not repeated to people. */
const believable: ReadonlySet<SwapStatus> = new Set(['pending', 'clientfundingseen', 'clientfunded', 'serverfunded']);

function whenWaiting(t: T, p: P & { at: 'waiting' }, event: Event, now: Clocks): Outcome<P> {
  switch (event.is) {
    case 'vhtlc.seen':
      return whenCoinsSeen(t, p, event.coins, now);
    case 'provider.seen':
      if (lockerIsOut.has(event.status) && now.wall >= p.deal.source.expiresAt)
        return end(p, event.status, 'provider-ended');
      return event.status === p.said ? 'stay' : move<P>({ ...p, said: event.status });
    case 'cancel.requested':
      return p.said === 'pending' && p.why === null && p.cancelled !== true
        ? move<P>({ ...p, cancelled: true })
        : 'stay';
    case 'clock':
      // Nothing can be claimed safely any more; a VHTLC that is there goes back to the provider, the payment to the
      // payer.
      return locktimePassed(p.deal.target.vhtlc.refundLocktime, now.bitcoin)
        ? end(p, p.said, p.why === null ? 'never-locked' : 'lock-unsafe')
        : 'stay';
    default:
      return 'stay';
  }
}

function end(p: P & { at: 'waiting' }, lastStatus: SwapStatus, reason: EndReason): Step<P> {
  return move<P>({ at: 'ended', reason, detail: p.why, ...dealtOf(p), said: lastStatus });
}

function whenCoinsSeen(t: T, p: P & { at: 'waiting' }, coins: readonly SeenCoin[], now: Clocks): Outcome<P> {
  const { vhtlc, amount: targetAmount } = p.deal.target;
  let why: string | null = null;
  for (const coin of coins) {
    // Nobody else has the secret: another life of this node was quicker.
    const txid = claimOf(t, coin);
    if (txid !== null) return move<P>({ at: 'claimed', claimTxid: txid, coin: coin.outpoint, ...dealtOf(p) });
    const unsafe = safeToReveal({ coin, targetAmount, refundLocktime: vhtlc.refundLocktime }, now, t.policy);
    if (unsafe === null)
      return move<P>(
        { at: 'claiming', coin: coin.outpoint, claimTxid: null, ...dealtOf(p) },
        claimEffect(t, p, coin.outpoint),
      );
    why ??= unsafe.sentence;
  }
  return why === p.why ? 'stay' : move<P>({ ...p, why });
}

function step(t: T, p: P, event: Event, now: Clocks, decode: DecodeInvoice): Outcome<P> {
  switch (p.at) {
    case 'creating':
      return whenCreating(t, event, now, {
        verify: (record) => verifyLightningArkade(record, t, now, decode),
        begin: (deal): P => ({ at: 'waiting', why: null, deal, said: 'pending' }),
      });
    case 'waiting':
      return whenWaiting(t, p, event, now);
    case 'claiming':
      return whenClaiming(t, p, event, now);
    case 'refused':
    case 'claimed':
    case 'ended':
    case 'lost':
      return 'stay';
  }
}

function watches(t: T, p: P): Watch[] {
  if (p.at !== 'waiting' && p.at !== 'claiming') return [];
  return [
    { on: 'vhtlc', terms: p.deal.target.vhtlc, script: p.deal.target.script },
    { on: 'provider', provider: t.provider, swapId: p.deal.swapId },
  ];
}

function deadline(t: T, p: P): Unix | null {
  if (p.at === 'creating') return t.createBefore;
  return p.at === 'waiting' ? p.deal.target.vhtlc.refundLocktime : null;
}

/** Shown to people as they know it from the other side; our own eyes come before the provider's word. */
function status(p: P): SwapStatus {
  switch (p.at) {
    case 'creating':
    case 'refused':
      return unpaidStatus(p);
    case 'waiting':
      return believable.has(p.said) || lockerIsOut.has(p.said) ? p.said : 'pending';
    case 'claiming':
      return 'clientredeeming';
    case 'claimed':
      return 'serverredeemed';
    case 'ended':
      return lockerIsOut.has(p.said) ? p.said : 'expired';
    case 'lost':
      return 'clientfundedserverrefunded';
  }
}

const over: ReadonlySet<P['at']> = new Set(['refused', 'claimed', 'ended', 'lost']);

export function takeLightningArkade(decode: DecodeInvoice): Machine<T, P> {
  return clientMachine(
    {
      name: 'take-lightning-arkade',
      shape,
      step: (t, p, event, now) => step(t, p, event, now, decode),
      watches,
      deadline,
      status,
      open: (_, p) => !over.has(p.at),
      rescue,
    },
    lightningArkadeSteps,
  );
}
