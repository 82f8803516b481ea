import type { Outpoint } from '../../../../domain/outpoint.ts';
import type { Effect } from '../../../machine.ts';
import type { Backing, Surety } from '../../surety.ts';
import { firstCoinOf, paymentEffect } from '../../broadcast.ts';
import { spendEffect, type CoinTaking } from '../taking.ts';
import type { Funding, OnchainTargetTerms as T, Placed, Redeem } from './terms.ts';

/** Chooses coins and signs the funding; sends nothing. */
export function fundEffect({ htlcScript: script, targetAmount, mostFee, lockBefore, htlcSince }: T): Effect {
  return { do: 'htlc.fund', script, amount: targetAmount, mostFee, lockBefore, scriptSince: htlcSince };
}

/**
 * Keeps the funding on the chain until it is buried; what waits too long is pushed by a child of its change. It should
 * be mined while the client has its time to claim: a client that waits for its block would have too little of it later,
 * and our refund none to spare. `backing`: until somebody shows it. What comes too late by then and may be out has its
 * coin taken back before the client can take what it gave, and mine the funding with its claim (facts/faults.md 248).
 */
export function sendEffect(
  { mostFee, lockBefore, targetAmount: holds }: T,
  { payment, height }: Funding,
  backing?: Pick<Backing, 'onlyIf' | 'back'>,
): Effect {
  const { txid, change } = payment;
  const coin = firstCoinOf(payment);
  return {
    ...paymentEffect(payment, height),
    deadline: lockBefore,
    ...(change === null ? {} : { push: { change: { outpoint: { txid, vout: 1 }, ...change }, mostFee } }),
    ...(backing === undefined ? {} : { onlyIf: backing.onlyIf, cancel: { coin, holds, by: backing.back } }),
  };
}

/** Takes our coin back: it must be ours again before the client can take what it gave, or the client has both. */
export function takeBack(
  { htlc: terms, htlcScript: script, keyIndex: index }: T,
  { output: coin, parent }: Placed & Pick<CoinTaking, 'parent'>,
  { back }: Surety,
  leastRate = 0,
): Effect {
  const htlc = { purpose: 'refund', terms, script, key: { branch: 'swap', index } } as const;
  return spendEffect(htlc, { coin, parent }, back, leastRate);
}

/** Our refund is buried, as the chain shows: what it cost is still to be told, and its bytes to be put away. */
export function costEffects(
  { htlc, targetAmount, htlcSince }: T,
  { output, spends }: Pick<Placed, 'output'> & Pick<CoinTaking, 'spends'>,
): readonly Effect[] {
  const refundTxid = spends.at(-1);
  return refundTxid === undefined
    ? []
    : [
        {
          do: 'onchain.broadcast',
          leg: 'bitcoin',
          txid: refundTxid,
          spends: output,
          amount: targetAmount,
          rate: 0,
          capped: true,
          since: htlcSince,
          yieldsTo: htlc.hash,
        },
      ];
}

/**
 * Effects that repeat until the coin's spend is buried: broadcasts of the client's claim with our funding under it, and
 * CPFP of that funding while it is unconfirmed: a claim is mined no sooner, and pays for itself alone.
 */
export function keptEffects(t: T, { output, funding, buried }: Placed, redeem: Redeem | null): readonly Effect[] {
  return [
    ...(redeem === null ? [] : resendEffects(output, redeem)),
    ...(funding === null || buried ? [] : [sendEffect(t, funding)]),
  ];
}

/** Of a claim that only its client can send there is nothing to keep. */
export function resendEffects(coin: Outpoint, { bytes, unsigned }: Redeem): readonly Effect[] {
  return unsigned === true ? [] : [{ do: 'htlc.resend', coin, bytes }];
}
