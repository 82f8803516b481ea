import type { Sats } from '../../../engine/domain/money.ts';
import { isHeight, unix } from '../../../engine/domain/time.ts';
import { burialDepth, revealDepth } from '../../../engine/legs/onchain/depth.ts';
import type { SeenHtlcCoin, SeenHtlcSpend } from '../../../engine/legs/onchain/events.ts';
import { locktimeOf } from '../../../engine/legs/onchain/locktime.ts';
import { safeToRevealForCoin } from '../../../engine/legs/safety/reveal.ts';
import type { Effect, Event } from '../../../engine/swap/machine.ts';
import type { BitcoinLeg } from '../../../engine/taker/terms.ts';
import { preimage } from '../../swap/cases.ts';
import { coinOf, takenBack } from '../evm-bitcoin-cases.ts';
import { about, type Got, type Ground, type Luck } from './ground.ts';

/** Miners take a claim that pays enough within this many seconds. */
const minedWithin = 3_000;

/**
 * A provider that pays an HTLC when it likes, double-spends what is shallow, signs our claim or does not, and takes
 * back what it can.
 */
export function getsOnBitcoin(ground: Ground): Got {
  const { secret, hear, fail } = ground;
  const { htlc, amount } = ground.legOn<BitcoinLeg>('target');
  const locktime = locktimeOf(htlc);
  let coin = null as { amount: Sats; height: number | null; spend: SeenHtlcSpend | null } | null;
  let sentAt = null as number | null;
  let signed = 0;
  const joint = new Set<string>();

  const depth = (at: number | null): number => (at === null ? 0 : Math.max(0, ground.height() - at + 1));
  const isOpen = (): boolean => (isHeight(locktime) ? ground.height() >= locktime : ground.mtp() > locktime);
  const isOurs = (): boolean => coin?.spend?.by === 'claim' || coin?.spend?.by === 'key';

  function claimedBy(txid: string, height: number | null): SeenHtlcSpend {
    const bytes = new Uint8Array(1);
    return joint.has(txid)
      ? { txid, height, by: 'key', purpose: 'claim', bytes }
      : { txid, height, by: 'claim', preimage, bytes };
  }

  function prepared(isJoint: boolean): Event {
    const txid = String(++signed).padStart(64, '5');
    if (isJoint) joint.add(txid);
    return {
      is: 'onchain.prepared',
      leg: 'bitcoin',
      purpose: 'claim',
      txid,
      amount,
      rate: 2,
      capped: false,
      height: ground.height(),
      ...(isJoint ? { joint: true } : {}),
    };
  }

  /** Null: there is no answer, and what was asked for is owed still. */
  function sent({ txid, onlyIf }: Effect & { do: 'onchain.broadcast' }, luck: Luck): Event | null {
    const spend = coin?.spend ?? null;
    const of = { leg: 'bitcoin', txid } as const;
    if (spend !== null && depth(spend.height) >= burialDepth)
      return isOurs()
        ? { is: 'onchain.final', leg: 'bitcoin', txid: spend.txid, fee: 1n as Sats }
        : { is: 'onchain.refused', ...of, why: 'spent', reason: 'spent' };
    const shown = secret.show(onlyIf);
    if (shown === 'late') return { is: 'onchain.refused', ...of, why: 'late', reason: 'late' };
    if (shown === 'wait' || coin === null) return null;
    if (spend !== null)
      return luck === 0 && isOurs() && spend.height === null ? { is: 'onchain.stuck', ...of, leastRate: 4 } : null;
    sentAt ??= ground.wall();
    coin.spend = claimedBy(txid, null);
    return null;
  }

  function together(effect: Effect & { do: 'provider.cosign-htlc' }, luck: Luck): Event | null {
    const shown = secret.show(effect.onlyIf);
    if (shown === 'late') return { is: 'provider.claim-withheld', reason: 'late' };
    if (shown === 'wait' || luck === 0) return null;
    return luck === 1 ? { is: 'provider.declined', reason: 'not now' } : prepared(true);
  }

  function run(effect: Effect, luck: Luck): boolean {
    let answer: Event | null;
    switch (effect.do) {
      case 'htlc.spend':
        if (effect.purpose !== 'claim') return false;
        answer = coin === null ? null : prepared(false);
        break;
      case 'provider.cosign-htlc':
        if (effect.purpose !== 'claim') return false;
        answer = together(effect, luck);
        break;
      case 'onchain.broadcast':
        answer = sent(effect, luck);
        break;
      default:
        return false;
    }
    if (answer !== null) hear(answer, effect);
    return true;
  }

  return {
    acts: [
      () => void (coin ??= { amount: about(ground, amount), height: null, spend: null }),
      () => {
        if (coin !== null) coin.height ??= ground.height();
      },
      () => {
        // What is shallow may be replaced by whoever paid it.
        if (coin !== null && coin.spend === null && depth(coin.height) < revealDepth && !secret.isOut()) coin = null;
      },
    ],
    look() {
      const coins: SeenHtlcCoin[] = coin === null ? [] : [coinOf(coin)];
      const { height, mtp, wall } = ground;
      hear({ is: 'htlc.seen', coins, height: height(), mtp: unix(mtp()), asked: unix(wall()) });
    },
    run,
    judge({ paidOut }, now) {
      if (paidOut === undefined) return fail('a coin is claimed without a look at it');
      const free = coin === null || coin.spend !== null ? null : coin;
      return safeToRevealForCoin({ ...paidOut, coin: free, height: ground.height() }, now, ground.policy);
    },
    passed() {
      if (coin?.spend === null || coin?.spend.height !== null || sentAt === null || !isOurs()) return;
      if (ground.wall() >= sentAt + minedWithin || ground.roll(2) === 0)
        coin.spend = claimedBy(coin.spend.txid, ground.height());
    },
    takeBack() {
      if (coin?.spend === null && coin.height !== null && isOpen()) coin.spend = takenBack(ground.height());
    },
    isBack: () => coin?.spend?.by === 'refund',
    isOurs,
  };
}
