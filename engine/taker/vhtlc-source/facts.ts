import { furthest, type Clocks, type Unix } from '../../domain/time.ts';
import { exitStarts } from '../../legs/arkade/exit-rule.ts';
import { refundOpens } from '../../legs/timelocks.ts';
import { hasUnspent } from '../../swap/halves/extra-coins.ts';
import { bitcoinText, notPaid, signedAs, type Facts, type Moved, type Paid, type Pay, type Times } from '../facts.ts';
import { lockOpen } from './refunding.ts';
import { payerIsOut, type Dealt, type VhtlcSourceProgress } from './terms.ts';

/* The facts of coins of ours at a VHTLC. */

/** Where to pay while it is wanted; `until` is the end of that, where there is one. */
export function payVhtlc(p: Dealt, until: Unix | null): Pay | null {
  if (p.said === 'expired' || p.cancelled === true) return null;
  const { address, amount } = p.deal.source;
  return {
    kind: 'arkade',
    text: address,
    uri: `bitcoin:?ark=${address}&amount=${bitcoinText(amount)}`,
    amount,
    until,
  };
}

/** What stands is what nobody took yet, whoever paid it: the rest beside the provider's claim is ours as well. */
export function vhtlcPaid({ at, coins, proof }: Dealt & { readonly at: string }): Paid {
  const sum = (some: Dealt['coins']) => some.reduce((total, { amount }) => total + amount, 0n);
  const unspent = coins.filter(({ spent }) => !spent);
  if (unspent.length > 0) return { state: 'stands', amount: sum(unspent) };
  if (proof !== null) return { state: 'taken', amount: sum(coins) };
  if (coins.length === 0) return notPaid;
  return { state: at === 'done' ? 'back' : 'unclear', amount: sum(coins) };
}

/** Our refund opens by median time past; past its own expiry the operator may take a coin. */
export function vhtlcTimes(p: Dealt, now: Clocks, own: Pick<Times, 'payUntil' | 'normalUntil'>): Times {
  const { vhtlc } = p.deal.source;
  const expires = hasUnspent(p.coins) ? p.expiresAt : null;
  return {
    now: furthest(now.bitcoin).mtp,
    ...own,
    refundSignedFrom: null,
    refundAloneFrom: refundOpens(vhtlc.refundLocktime),
    dangerFrom: expires === null ? null : exitStarts(expires, vhtlc.refundWithoutReceiverDelay),
    last: expires,
  };
}

/** `isBought`: what the coins were for is ours, so that they are the provider's. */
export function vhtlcRefund(p: VhtlcSourceProgress, now: Clocks, isBought: boolean): Facts['refund'] {
  const from = refundOpens(p.deal.source.vhtlc.refundLocktime);
  switch (p.at) {
    case 'waiting':
    case 'lapsed':
      return { state: 'none', from, why: 'nothing-paid' };
    case 'asking':
    case 'refunding':
      return { state: 'running', from, why: null };
    case 'done':
      return isBought ? { state: 'none', from: null, why: 'spent' } : { state: 'done', from, why: null };
    case 'funded':
      if (!hasUnspent(p.coins)) return { state: 'none', from, why: 'nothing-paid' };
      if (lockOpen(p, now)) return { state: 'possible', from, why: 'locktime-passed' };
      if (p.proof !== null) return { state: 'possible', from, why: 'surplus' };
      if (p.declined !== null) return { state: 'possible', from, why: 'provider-declined' };
      return { state: 'possible', from, why: payerIsOut.has(p.said) ? 'provider-out' : 'in-progress' };
  }
}

/** `others`: what moved elsewhere, in its place between our payments and what became of them. */
export function vhtlcMoves(p: Dealt & { readonly at: string }, others: readonly Moved[] = []): Moved[] {
  const claim = p.proof?.claimTxid ?? null;
  const { refundTxid = null, exit = false } = p as { readonly refundTxid?: string | null; readonly exit?: true };
  const back = refundTxid !== claim ? refundTxid : null;
  const isExit = p.at === 'refunding' && exit;
  return [
    ...p.coins.map(({ outpoint }): Moved => ({ what: 'fund', network: 'arkade', txid: outpoint.txid, whose: 'you' })),
    ...others,
    ...(claim === null ? [] : [{ what: 'claim', network: 'arkade', txid: claim, whose: 'provider' } as const]),
    ...(p.at === 'refunding'
      ? signedAs(isExit ? 'exit' : 'refund', isExit ? 'bitcoin' : 'arkade', back)
      : back === null
        ? []
        : [{ what: 'refund', network: 'arkade', txid: back, whose: 'you' } as const]),
  ];
}
