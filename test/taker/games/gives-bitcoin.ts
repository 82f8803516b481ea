import { isHeight } from '../../../engine/domain/time.ts';
import { sats } from '../../../engine/domain/money.ts';
import { sameOutpoint, type Outpoint } from '../../../engine/domain/outpoint.ts';
import { unix } from '../../../engine/domain/time.ts';
import { buried } from '../../../engine/legs/onchain/depth.ts';
import type { SeenHtlcCoin, SeenHtlcSpend } from '../../../engine/legs/onchain/events.ts';
import { locktimeOf } from '../../../engine/legs/onchain/locktime.ts';
import { leastRefund } from '../../../engine/legs/onchain/size.ts';
import type { Effect, Event } from '../../../engine/swap/machine.ts';
import type { PaidLeg } from '../../../engine/taker/halves/bitcoin/fund/terms.ts';
import { preimage } from '../../swap/cases.ts';
import type { Given, Ground, Luck } from './ground.ts';

interface Paid {
  readonly outpoint: Outpoint;
  readonly amount: bigint;
  height: number | null;
  spend: {
    readonly id: string;
    readonly by: 'claim' | 'refund' | 'joint refund' | 'joint claim';
    height: number | null;
  } | null;
}

const shownBy = {
  claim: { by: 'claim', preimage, bytes: new Uint8Array(1) },
  refund: { by: 'refund' },
  'joint refund': { by: 'key', purpose: 'refund', bytes: new Uint8Array(1) },
  'joint claim': { by: 'key', purpose: 'claim', bytes: new Uint8Array(1) },
} as const;

/**
 * A client that pays an HTLC too little, twice, or late, and a provider that takes what it can with the secret, signs
 * refunds by the key of both or does not, and asks for signatures that it should not have.
 */
export function givesOnBitcoin(ground: Ground): Given {
  const { roll, unlucky, secret, hear, fail } = ground;
  const { htlc, amount: price } = ground.legOn<PaidLeg>('source');
  const locktime = locktimeOf(htlc);
  const paid: Paid[] = [];
  const signed = new Map<string, { readonly coin: Outpoint; readonly by: 'refund' | 'joint refund' }>();
  /** For which the provider has our signature. */
  let given = null as Outpoint | null;

  const isOpen = (): boolean => (isHeight(locktime) ? ground.height() >= locktime : ground.mtp() > locktime);
  const at = (point: Outpoint): Paid | undefined => paid.find(({ outpoint }) => sameOutpoint(outpoint, point));
  const isTaken = ({ spend }: Paid): boolean => spend?.by === 'claim' || spend?.by === 'joint claim';

  function coins(): SeenHtlcCoin[] {
    return paid.map(({ outpoint, amount, height, spend }) => ({
      outpoint,
      amount: sats(amount),
      height,
      spend:
        spend === null
          ? null
          : ({ txid: spend.id, height: spend.height, ...shownBy[spend.by] } as unknown as SeenHtlcSpend),
    }));
  }

  function prepared(coin: Outpoint, by: 'refund' | 'joint refund'): Event | null {
    const source = at(coin);
    if (given !== null && sameOutpoint(given, coin)) return fail('a refund of the coin that we gave our signature for');
    if (source === undefined || source.height === null) return fail('a refund of a coin that is not there');
    if (source.spend !== null && isTaken(source))
      return buried(source.spend.height, ground.height())
        ? { is: 'onchain.refused', leg: 'bitcoin', txid: source.spend.id, why: 'spent', reason: 'spent' }
        : null;
    const txid = `c${signed.size}`.padStart(64, '0');
    signed.set(txid, { coin, by });
    return {
      is: 'onchain.prepared',
      leg: 'bitcoin',
      purpose: 'refund',
      txid,
      amount: sats(source.amount),
      rate: 2,
      capped: false,
      height: ground.height(),
      ...(by === 'joint refund' ? { joint: true } : {}),
    };
  }

  function keep(txid: string): Event | null {
    const refund = signed.get(txid);
    const source = refund === undefined ? undefined : at(refund.coin);
    if (refund === undefined || source === undefined) return fail('a refund of nothing is kept');
    if (refund.by === 'refund' && !isOpen()) return fail('a refund is sent before its locktime');
    source.spend ??= { id: txid, by: refund.by, height: null };
    const { spend } = source;
    if (!buried(spend.height, ground.height()))
      return spend.height === null && unlucky() ? { is: 'onchain.stuck', leg: 'bitcoin', txid, leastRate: 3 } : null;
    return isTaken(source)
      ? { is: 'onchain.refused', leg: 'bitcoin', txid, why: 'spent', reason: 'spent' }
      : { is: 'onchain.final', leg: 'bitcoin', txid: spend.id, fee: sats(300) };
  }

  /** The provider shows a secret, or another one, for our signature on its claim. */
  function sign(effect: Effect & { do: 'provider.sign-claim' }, luck: Luck): void {
    const ask = { purpose: 'claim', coin: effect.coin, preimage } as const;
    const before = ground.stage();
    if (!secret.isOut() || luck === 0) {
      hear({ is: 'cosign.asked', ...ask, preimage: new Uint8Array(32).fill(8) as never });
      if (ground.stage() !== before) fail('our signature leaves for a wrong secret');
      return hear({ is: 'provider.claim-unsigned', reason: 'no secret' }, effect);
    }
    const mayLeave = ground.moves({ is: 'cosign.asked', ...ask });
    if (!mayLeave) return hear({ is: 'provider.claim-unsigned', reason: 'not signed' }, effect);
    given = effect.coin;
    hear({ is: 'cosign.given', ...ask, txid: '71'.repeat(32), bytes: new Uint8Array(90) }, effect);
  }

  function run(effect: Effect, luck: Luck): boolean {
    let answer: Event | null;
    switch (effect.do) {
      case 'htlc.spend':
        if (effect.purpose !== 'refund') return false;
        // It waits for its locktime.
        answer = isOpen() ? prepared(effect.coin, 'refund') : null;
        break;
      case 'provider.cosign-htlc':
        if (effect.purpose !== 'refund') return false;
        answer = luck < 2 ? { is: 'provider.declined', reason: 'not now' } : prepared(effect.coin, 'joint refund');
        break;
      case 'provider.sign-claim':
        sign(effect, luck);
        return true;
      case 'onchain.broadcast':
        if (!signed.has(effect.txid)) return false;
        answer = keep(effect.txid);
        break;
      default:
        return false;
    }
    // An answer to the provider’s silence comes as well.
    if (answer !== null && (luck > 0 || effect.do === 'provider.cosign-htlc')) hear(answer, effect);
    return true;
  }

  function pay(): void {
    const amount = [price, price, price + 900n, price - 1n, 500n][roll(5)] ?? price;
    if (paid.length < 4)
      paid.push({ outpoint: { txid: `${paid.length}`.padStart(64, 'f'), vout: 0 }, amount, height: null, spend: null });
  }

  return {
    acts: [pay, pay],
    look: () =>
      hear({
        is: 'htlc.seen',
        coins: coins(),
        height: ground.height(),
        mtp: unix(ground.mtp()),
        asked: unix(ground.wall()),
      }),
    run,
    take() {
      const source = paid.find(({ amount, height }) => height !== null && amount >= price);
      const isFree = source?.spend === null || (source?.spend.height === null && roll(2) === 0);
      if (!secret.isOut() || source === undefined || !isFree || paid.some(isTaken)) return;
      const byBoth = given !== null && sameOutpoint(given, source.outpoint) && roll(2) === 0;
      source.spend = { id: '33'.repeat(32), by: byBoth ? 'joint claim' : 'claim', height: null };
    },
    isComingBack() {
      const isSigned = ({ outpoint }: Paid) => [...signed.values()].some(({ coin: of }) => sameOutpoint(of, outpoint));
      return paid.length > 0 && paid.every(isSigned);
    },
    passed() {
      for (const one of paid) {
        one.height ??= ground.height();
        if (one.spend !== null) one.spend.height ??= ground.height();
      }
    },
    end() {
      if (paid.some(isTaken)) return 'theirs';
      if (paid.some(({ spend, amount }) => spend === null && amount >= leastRefund)) return 'there';
      const isReturned = [...signed.values()].some(({ by }) => by === 'joint refund');
      return !isReturned && paid.some(({ spend, amount }) => spend !== null && amount >= price) ? 'ours' : 'nowhere';
    },
  };
}
