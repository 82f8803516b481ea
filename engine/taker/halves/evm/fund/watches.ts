import { after, seconds, type Unix } from '../../../../domain/time.ts';
import type { Watch } from '../../../../swap/machine.ts';
import { lockEnd } from '../../../../legs/evm/timelocks.ts';
import type { Any, Window } from '../../fund.ts';
import { givenBy, type EvmFunding, type EvmFundTerms, type Base } from './terms.ts';

type T = EvmFundTerms;
type P = Any<Base, EvmFunding>;

/** Our lock, whoever makes it and whatever becomes of it. */
function lockWatch(t: T, { deal: { source } }: Base): Watch {
  const { amount: least, ...lock } = source.lock;
  return {
    on: 'evm-lock',
    network: t.chain,
    htlc: source.contracts.htlc,
    hash: t.hash,
    wanted: { are: 'agreed', lock, least, by: t.account },
    since: t.since,
  };
}

/**
 * Our account, for as long as tokens there may be locked for it: what it cannot take any more is for others that wait.
 */
function balanceWatch(t: T, p: P & { at: 'waiting' | 'funding' }): Watch[] {
  if (p.at === 'waiting' && (p.said !== 'pending' || p.cancelled === true || t.restored !== undefined)) return [];
  const { token, amount } = givenBy(t, p);
  const [ordered, signed] = [t.keyIndex, p.at === 'funding'];
  return [{ on: 'evm-balance', network: t.chain, token, account: t.account, amount, ordered, signed }];
}

/**
 * What is looked at while tokens of ours are to be locked, are locked, or come back; nothing once they are back, or
 * never were.
 */
export function watches(t: T, p: P): Watch[] {
  const lock = lockWatch(t, p);
  const provider: Watch = { on: 'provider', provider: t.provider, swapId: p.deal.swapId };
  const sent = (purpose: 'relay-fund' | 'taker-refund', txid: string | null): Watch[] =>
    txid === null ? [] : [{ on: 'evm-sent', network: t.chain, purpose, txid }];
  switch (p.at) {
    case 'waiting':
      return [lock, provider, ...balanceWatch(t, p)];
    case 'funding':
      return [lock, provider, ...balanceWatch(t, p), ...sent('relay-fund', p.sent)];
    case 'funded':
    case 'asking':
    case 'claiming':
      return [lock, provider];
    case 'refunding':
      return [lock, ...sent('taker-refund', p.sent)];
    default:
      return [];
  }
}

/** When time alone moves it: no more is paid from `pay` on, a signature runs out, the lock opens. */
export function deadline(p: EvmFunding, { pay }: Window): Unix | null {
  switch (p.at) {
    case 'waiting':
      return pay;
    case 'funding':
      return after(p.signedUntil, seconds(1));
    case 'funded':
    case 'asking':
      return lockEnd(p.deal.source);
    default:
      return null;
  }
}
