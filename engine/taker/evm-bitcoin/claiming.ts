import { sameOutpoint, type Txid } from '../../domain/outpoint.ts';
import type { Clocks } from '../../domain/time.ts';
import { buried } from '../../legs/onchain/depth.ts';
import { claimLine } from '../../legs/onchain/timelocks.ts';
import type { OnlyIf } from '../../legs/only-if.ts';
import { locktimePassed } from '../../legs/timelocks.ts';
import { move, type Effect, type Event, type Outcome, type Step } from '../../swap/machine.ts';
import { isOurs, whenCalledSpent, whileTakingCoin, type CoinTaker } from '../../swap/halves/bitcoin/taking.ts';
import { lockNow } from '../evm-source/locked.ts';
import { dealtOf } from '../evm-source/terms.ts';
import { claimedCoin, coinOf, judge, offered, sameCoin, type Seen } from './coins.ts';
import {
  isLeft,
  payoutOf,
  type Base,
  type Claiming,
  type PayoutCoin,
  type TakeEvmBitcoinProgress,
  type TakeEvmBitcoinTerms,
} from './terms.ts';

type T = TakeEvmBitcoinTerms;
type P = TakeEvmBitcoinProgress;

export function baseOf(p: Base): Base {
  return { ...dealtOf(p), ...payoutOf(p) };
}

/** To our own wallet; dearer the nearer the provider's refund comes, and never more than the coin holds. */
function claimEffect(t: T, { deal, coin, parent }: Pick<Claiming, 'deal' | 'coin' | 'parent'>, leastRate = 0): Effect {
  const { htlc: terms, script } = deal.target;
  return {
    do: 'htlc.spend',
    purpose: 'claim',
    terms,
    script,
    key: { branch: 'taker', index: t.keyIndex },
    coin: coin.outpoint,
    ...(parent === undefined ? {} : { funding: parent }),
    leastRate,
    deadline: terms.refundLocktime,
  };
}

/** Judged once more at the moment at which the secret leaves us, however long the node slept. */
function onlyIf(t: T, { deal, coin }: Claiming): OnlyIf {
  const { script, amount: targetAmount, htlc } = deal.target;
  const { refundLocktime } = htlc;
  return {
    notAfter: claimLine(refundLocktime, t.policy),
    paidOut: { script, outpoint: coin.outpoint, targetAmount, refundLocktime, policy: t.policy },
  };
}

function claim(t: T, p: Base, coin: PayoutCoin, shown: boolean): Step<P> {
  return {
    progress: { at: 'claiming', ...baseOf(p), coin, unsafe: null, spends: [], shown },
    effects: [claimEffect(t, { deal: p.deal, coin })],
    supersedes: true,
  };
}

/**
 * Our lock stands: the provider's coin decides, whatever anybody says. It is not looked at any more once a refund is on
 * its way.
 */
export function whenCoinSeen(t: T, p: P & { at: 'locked' }, seen: Seen, now: Clocks): Outcome<P> {
  if (isLeft(p)) return 'stay';
  // Another life of this node was quicker: nobody else has the secret.
  const claimed = claimedCoin(seen);
  if (claimed !== null) return claim(t, p, coinOf(claimed), true);
  if (p.takenBy !== null) return whenSecretIsOut(t, p, seen);
  const coin = offered(p, seen);
  if (coin === null) return p.coin === null && p.unsafe === null ? 'stay' : move<P>({ ...p, coin: null, unsafe: null });
  const unsafe = judge(t, p, coin, seen, now);
  if (unsafe === null) return claim(t, p, coinOf(coin), false);
  const next = { coin: coinOf(coin), unsafe: unsafe.unsafe === 'never' ? unsafe.sentence : null };
  return sameCoin(next.coin, p.coin) && next.unsafe === p.unsafe ? 'stay' : move<P>({ ...p, ...next });
}

/** The provider has our lock: whatever is at the HTLC is ours, and its refund wins only when it is buried. */
function whenSecretIsOut(t: T, p: P & { at: 'locked' }, seen: Seen): Outcome<P> {
  const { coins, height, mtp } = seen;
  const coin = offered(p, seen) ?? coins.find(({ spend }) => spend?.by !== 'refund' || !buried(spend.height, height));
  if (coin !== undefined) return claim(t, p, coinOf(coin), true);
  return locktimePassed(p.deal.target.htlc.refundLocktime, { mtp }) ? lose(p) : 'stay';
}

export function lose(p: Base): Step<P> {
  return {
    progress: { at: 'lost', ...baseOf(p) },
    effects: [],
    supersedes: true,
    flag: 'The provider took your tokens with our secret, and its bitcoin back: it owes you the swap.',
  };
}

function takerOf(t: T): CoinTaker<P & { at: 'claiming' }, Step<P>> {
  return {
    purpose: 'claim',
    coin: (p) => p.coin.outpoint,
    effect: (p, leastRate) => claimEffect(t, p, leastRate),
    onlyIf: (p) => (p.shown ? undefined : onlyIf(t, p)),
    taken: claimed,
    // The secret is still ours alone, unless another life of this node showed it: then nothing is too late.
    late: (p, reason) => (p.shown ? null : unclaimed(p, reason)),
  };
}

/** What is in a mempool, or was with a node, shows our secret. */
function withShown<C extends Claiming>(p: C, event: Event): C {
  const wasSent = event.is === 'onchain.stuck' || (event.is === 'onchain.refused' && event.why === 'refused');
  return wasSent && isOurs(p, event.txid) ? { ...p, shown: true } : p;
}

export function whenClaiming(t: T, p: P & { at: 'claiming' }, event: Event, now: Clocks): Outcome<P> {
  switch (event.is) {
    case 'htlc.seen':
      return whenSeen(t, p, event, now);
    case 'evm.seen': {
      const lock = lockNow(t, p, event.locks);
      return lock?.state.is === 'redeemed' && p.takenBy !== lock.state.txid
        ? move<P>({ ...p, takenBy: lock.state.txid, shown: true })
        : 'stay';
    }
    case 'provider.seen':
      return event.status === p.said ? 'stay' : move<P>({ ...p, said: event.status });
    default:
      return whileTakingCoin(takerOf(t), withShown(p, event), event) ?? 'stay';
  }
}

function claimed(p: Claiming, claimTxid: Txid): Step<P> {
  return { progress: { at: 'claimed', ...baseOf(p), claimTxid }, effects: [], supersedes: true };
}

function unclaimed(p: Claiming, unsafe: string | null): Step<P> {
  return {
    progress: { at: 'locked', notBefore: null, declined: null, ...baseOf(p), unsafe },
    effects: [],
    supersedes: true,
  };
}

function whenSeen(t: T, p: P & { at: 'claiming' }, seen: Seen, now: Clocks): Outcome<P> {
  const own = seen.coins.find(({ outpoint }) => sameOutpoint(outpoint, p.coin.outpoint));
  if (own === undefined) return vanished(t, p, seen, now);
  const { spend } = own;
  // By the look itself: a block that came since may be one of another branch.
  const isBuried = buried(spend?.height ?? null, seen.height);
  const again = whenCalledSpent(takerOf(t), { ...p, shown: p.shown || spend?.by === 'claim' }, own, seen.height);
  if (again !== null) return again;
  if (spend === null || spend.by === 'unknown') return 'stay';
  if (spend.by === 'refund') return isBuried ? takenBack(p) : 'stay';
  // Only we sign a claim: one that we do not know is ours too, and was made before this database was restored.
  if (isBuried && (!isOurs(p, spend.txid) || p.halted === true)) return claimed(p, spend.txid);
  return p.shown ? 'stay' : move<P>({ ...p, shown: true });
}

/**
 * A reorganisation took the coin. Our claim is sent again with it; whoever paid it may pay another one in its place,
 * and with the secret out that one is claimed. While it is not known whether the secret is out nothing is begun anew:
 * the claim's own end says it.
 *
 * Where no mempool has the provider's funding any more, it goes out with our claim as one package: its bytes are on our
 * disk before the secret leaves. Only one that the provider replaced by another transaction of the same coins is
 * refused.
 */
function vanished(t: T, p: P & { at: 'claiming' }, seen: Seen, now: Clocks): Outcome<P> {
  if (!p.shown && p.spends.length > 0) return 'stay';
  const other = offered(p, seen);
  if (!p.shown)
    return other !== null && judge(t, p, other, seen, now) === null
      ? claim(t, p, coinOf(other), false)
      : unclaimed({ ...p, coin: null } as unknown as Claiming, null);
  return other === null ? 'stay' : claim(t, p, coinOf(other), true);
}

/** Too late: what we gave is ours again from its timelock on, unless the provider took that as well. */
function takenBack(p: Claiming): Step<P> {
  if (p.takenBy !== null) return lose({ ...p, takenBack: true });
  return {
    ...unclaimed({ ...p, takenBack: true }, null),
    ...(p.shown
      ? {
          flag:
            'The provider took its bitcoin back while this node claimed it: your tokens are taken back as soon as ' +
            'that can be done.',
        }
      : {}),
  };
}
