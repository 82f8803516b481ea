import { chainIdOf } from '../../domain/chain.ts';
import { checksummed } from '../../domain/evm-address.ts';
import type { Clocks, Unix } from '../../domain/time.ts';
import { evmTime, timelockPassed } from '../../legs/evm/timelocks.ts';
import { notPaid, signedAs, type Facts, type Moved, type Paid, type Pay } from '../facts.ts';
import { payerIsOut } from '../vhtlc-source/terms.ts';
import { timelockOf, type Dealt, type EvmSourceProgress, type EvmSourceTerms } from './terms.ts';

/** To our own account: from there the tokens are locked by a signature, as a payment link says it (EIP-681). */
export function payToAccount(t: EvmSourceTerms, p: Dealt, until: Unix): Pay | null {
  if (p.said !== 'pending' || p.cancelled === true) return null;
  const { amount, lock } = p.deal.source;
  const account = checksummed(t.account);
  const uri = `ethereum:${checksummed(lock.token)}@${chainIdOf(t.chain)}/transfer?address=${account}&uint256=${amount}`;
  return { kind: 'evm', text: account, uri, amount, until };
}

/**
 * Once it was signed for, the account has had all of it: while it waits, what came lies there, and nothing is to be
 * paid again.
 */
export function notLocked(p: Dealt & { readonly declined: string | null }): Pick<Facts, 'reason' | 'detail'> {
  const never = p.signedUntil === null && p.declined === null;
  return never || p.cancelled === true ? { reason: null, detail: null } : { reason: 'not-locked', detail: p.declined };
}

/** `isTaken`: the provider has the lock. A signature of ours that may still be used is no lock yet. */
export function lockPaid(t: EvmSourceTerms, p: Dealt & { readonly at: string }, now: Clocks, isTaken: boolean): Paid {
  if (p.made !== null) {
    const { amount } = p.made;
    return { state: isTaken ? 'taken' : p.at === 'refunded' ? 'back' : 'stands', amount };
  }
  if (isTaken) return { state: 'taken', amount: p.deal.source.amount };
  const time = evmTime(now, t.chain);
  const mayLock = p.at !== 'lapsed' && p.signedUntil !== null && (time === null || time <= p.signedUntil);
  return mayLock ? { state: 'leaving', amount: p.deal.source.amount } : notPaid;
}

export function lockRefund(t: EvmSourceTerms, p: EvmSourceProgress, now: Clocks): Facts['refund'] {
  const from = timelockOf(p);
  switch (p.at) {
    case 'waiting':
    case 'funding':
    case 'lapsed':
      return { state: 'none', from, why: 'nothing-paid' };
    case 'asking':
    case 'refunding':
      return { state: 'running', from, why: null };
    case 'refunded':
      return { state: 'done', from, why: null };
    case 'locked':
      if (timelockPassed(from, now, t.chain)) return { state: 'possible', from, why: 'locktime-passed' };
      if (p.declined !== null) return { state: 'possible', from, why: 'provider-declined' };
      return { state: 'possible', from, why: payerIsOut.has(p.said) ? 'provider-out' : 'in-progress' };
  }
}

/** `others`: what the provider and we moved for it, in its place between our lock and our refund. */
export function lockMoves(
  { chain: network }: EvmSourceTerms,
  p: EvmSourceProgress | (Dealt & { readonly at: 'paid' | 'claiming' | 'claimed' | 'lost' }),
  others: readonly Moved[],
): Moved[] {
  const back = p.at === 'refunded' ? p.refundTxid : null;
  return [
    ...(p.made === null
      ? signedAs('fund', network, p.at === 'funding' ? p.sent : null)
      : [{ what: 'fund', network, txid: p.made.txid, whose: 'you' } as const]),
    ...others,
    ...signedAs('refund', network, p.at === 'refunding' ? p.sent : null),
    ...(back === null ? [] : [{ what: 'refund', network, txid: back, whose: 'you' } as const]),
  ];
}
