import { after, seconds, type Unix } from '../../domain/time.ts';
import type { Watch } from '../../swap/machine.ts';
import { timelockOf, type Dealt, type EvmSourceProgress, type EvmSourceTerms } from './terms.ts';

/** Our lock, whoever makes it and whatever becomes of it. */
export function lockWatch(t: EvmSourceTerms, { deal: { source } }: Dealt): Watch {
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

export function providerWatch(t: EvmSourceTerms, { deal: { swapId } }: Dealt): Watch {
  return { on: 'provider', provider: t.provider, swapId };
}

/**
 * Our account, for as long as tokens there may be locked for it: what it cannot take any more is for others that wait.
 */
function balanceWatch(t: EvmSourceTerms, p: EvmSourceProgress & { at: 'waiting' | 'funding' }): Watch[] {
  if (p.at === 'waiting' && (p.said !== 'pending' || p.cancelled === true || t.restored !== undefined)) return [];
  const { token, amount } = p.deal.source.lock;
  const [ordered, signed] = [t.keyIndex, p.at === 'funding'];
  return [{ on: 'evm-balance', network: t.chain, token, account: t.account, amount, ordered, signed }];
}

/**
 * What is looked at while tokens of ours are to be locked, are locked, or come back; nothing once they are back, or
 * never were.
 */
export function evmSourceWatches(t: EvmSourceTerms, p: EvmSourceProgress): Watch[] {
  const lock = lockWatch(t, p);
  const provider = providerWatch(t, p);
  const sent = (purpose: 'relay-fund' | 'taker-refund', txid: string | null): Watch[] =>
    txid === null ? [] : [{ on: 'evm-sent', network: t.chain, purpose, txid }];
  switch (p.at) {
    case 'waiting':
      return [lock, provider, ...balanceWatch(t, p)];
    case 'funding':
      return [lock, provider, ...balanceWatch(t, p), ...sent('relay-fund', p.sent)];
    case 'locked':
    case 'asking':
      return [lock, provider];
    case 'refunding':
      return [lock, ...sent('taker-refund', p.sent)];
    case 'refunded':
    case 'lapsed':
      return [];
  }
}

/** When time alone moves it: no more is paid from `pay` on, a signature runs out, the lock opens. */
export function evmSourceDeadline(p: EvmSourceProgress, pay: Unix): Unix | null {
  switch (p.at) {
    case 'waiting':
      return pay;
    case 'funding':
      return after(p.signedUntil, seconds(1));
    case 'locked':
    case 'asking':
      return timelockOf(p);
    default:
      return null;
  }
}
