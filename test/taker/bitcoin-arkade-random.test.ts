import { locktimeOf } from '../../engine/legs/onchain/locktime.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { sameOutpoint, type Outpoint } from '../../engine/domain/outpoint.ts';
import { unix, type Clocks } from '../../engine/domain/time.ts';
import type { SeenCoin } from '../../engine/legs/arkade/events.ts';
import { buried } from '../../engine/legs/onchain/depth.ts';
import type { SeenHtlcCoin, SeenHtlcSpend } from '../../engine/legs/onchain/events.ts';
import { safeToReveal } from '../../engine/legs/safety/reveal.ts';
import type { Effect, Event } from '../../engine/swap/machine.ts';
import { leastRefund } from '../../engine/legs/onchain/size.ts';
import { coin, preimage, start, startHeight, txid } from '../swap/cases.ts';
import { leftBy } from '../swap/driver.ts';
import { deal, takeBitcoinTerms as t, waiting } from './bitcoin-arkade-cases.ts';
import { takeBitcoinArkade as machine, type TakeBitcoinArkadeProgress } from './taken.ts';

/*
 * A provider that locks what it likes when it likes, takes its lock back when it can, and takes bitcoin as soon as it
 * has our secret; an owner who pays too little, twice, or late; answers that come late, twice or never. The secret
 * leaves for a good lock alone, nobody has both legs, and in the end nothing of ours is left at the address.
 */

interface Paid {
  readonly outpoint: Outpoint;
  readonly amount: bigint;
  height: number | null;
  spend: { readonly id: string; readonly by: 'claim' | 'refund'; height: number | null } | null;
}

type Target = 'none' | 'locked' | 'accepted' | 'claimed' | 'back';

function play(numbers: readonly number[]): { claimed: boolean; refunds: number } {
  let next = 0;
  const roll = (sides: number): number => (numbers[next++] ?? 0) % sides;
  // Bad luck has an end: what comes after the game is fair.
  const unlucky = (sides: number): boolean => next < numbers.length && roll(sides) === 0;
  let wall: number = start + 60;
  let height = startHeight;
  const paid: Paid[] = [];
  let target = 'none' as Target;
  let lock: SeenCoin | null = null;
  let isOut = false;
  let signed = 0;
  const refunds = new Map<string, Outpoint>();
  let progress: TakeBitcoinArkadeProgress = waiting;
  let effects: Effect[] = [];
  const story: string[] = [];

  const now = (): Clocks => ({ wall: unix(wall), bitcoin: { mtp: unix(wall - 1_800), height } });
  const fail = (sentence: string): never => {
    throw new Error(`${sentence}\n${story.join('\n')}`);
  };

  function hear(event: Event, done?: Effect): void {
    if (done !== undefined) effects = effects.filter((effect) => effect !== done);
    const step = machine.step(t, progress, event, now());
    story.push(`${progress.at}: ${event.is} => ${step === 'stay' ? 'stay' : step.progress.at}`);
    if (step === 'stay') return;
    effects = [...leftBy(step, effects), ...step.effects];
    progress = step.progress;
  }

  function lockCoins(): SeenCoin[] {
    if (lock === null) return [];
    const spent = (leaf: SeenCoin['spend'], by: string) => ({ spent: true, spentIn: by, spentBy: by, spend: leaf });
    if (target === 'claimed') return [{ ...lock, ...spent({ leaf: 'claim', preimage }, txid.claim) }];
    if (target === 'back') return [{ ...lock, ...spent({ leaf: 'refund-without-receiver' }, txid.client) }];
    return [lock];
  }

  function bitcoins(): SeenHtlcCoin[] {
    return paid.map(({ outpoint, amount, height: mined, spend }) => ({
      outpoint,
      amount: sats(amount),
      height: mined,
      spend:
        spend === null
          ? null
          : ({
              txid: spend.id,
              height: spend.height,
              ...(spend.by === 'claim' ? { by: 'claim', preimage, bytes: new Uint8Array(1) } : { by: 'refund' }),
            } as SeenHtlcSpend),
    }));
  }

  function look(): void {
    for (const watch of machine.watches(t, progress)) {
      if (watch.on === 'htlc')
        hear({ is: 'htlc.seen', coins: bitcoins(), height, mtp: unix(wall - 1_800), asked: unix(wall) });
      if (watch.on === 'vhtlc') hear({ is: 'vhtlc.seen', coins: lockCoins() });
    }
  }

  function submit(effect: Effect & { do: 'vhtlc.submit' }): Event {
    const refused = (why: 'late' | 'spent'): Event => ({
      is: 'vhtlc.refused',
      purpose: 'claim',
      txid: effect.txid,
      why,
      reason: why,
    });
    if (target === 'accepted' || target === 'claimed')
      return { is: 'vhtlc.accepted', purpose: 'claim', txid: effect.txid };
    if (lock === null) return fail('a claim of a lock that is not there');
    const { reveal } = effect.onlyIf ?? {};
    if (reveal === undefined && !isOut) fail('the secret leaves without a last look');
    const at = { ...reveal, coin: { ...lock, spent: target === 'back' } };
    if (reveal !== undefined && safeToReveal({ ...reveal, ...at }, now(), t.policy) !== null) return refused('late');
    if (target === 'back') return refused('spent');
    isOut = true;
    target = 'accepted';
    return { is: 'vhtlc.accepted', purpose: 'claim', txid: effect.txid };
  }

  function spend({ coin: point, deadline }: Effect & { do: 'htlc.spend' }): Event | null {
    if (wall - 1_800 <= locktimeOf(deal.source.htlc)) fail('a refund is asked for before its locktime');
    if (deadline < locktimeOf(deal.source.htlc)) fail('a refund is late before it begins');
    const source = paid.find(({ outpoint }) => sameOutpoint(outpoint, point));
    if (source === undefined || source.height === null) return fail('a refund of a coin that is not there');
    if (source.spend?.by === 'claim')
      return buried(source.spend.height, height)
        ? { is: 'onchain.refused', leg: 'bitcoin', txid: source.spend.id, why: 'spent', reason: 'spent' }
        : null;
    const id = `c${signed++}`.padStart(64, '0');
    refunds.set(id, point);
    return {
      is: 'onchain.prepared',
      leg: 'bitcoin',
      purpose: 'refund',
      txid: id,
      amount: sats(source.amount),
      rate: 2,
      capped: false,
      height,
    };
  }

  function keep(id: string): Event | null {
    const point = refunds.get(id);
    const source = paid.find(({ outpoint }) => point !== undefined && sameOutpoint(outpoint, point));
    if (source === undefined) return fail('a refund of nothing is kept');
    if (source.spend === null) source.spend = { id, by: 'refund', height: null };
    if (!buried(source.spend.height, height))
      return source.spend.height === null && unlucky(6)
        ? { is: 'onchain.stuck', leg: 'bitcoin', txid: id, leastRate: 3 }
        : null;
    return source.spend.by === 'claim'
      ? { is: 'onchain.refused', leg: 'bitcoin', txid: id, why: 'spent', reason: 'spent' }
      : { is: 'onchain.final', leg: 'bitcoin', txid: source.spend.id, fee: sats(300) };
  }

  function act(effect: Effect): Event | null {
    switch (effect.do) {
      case 'vhtlc.claim':
        return { is: 'vhtlc.prepared', purpose: 'claim', txid: txid.claim, output: { txid: txid.claim, vout: 0 } };
      case 'vhtlc.submit':
        return submit(effect);
      case 'vhtlc.finalize':
        target = 'claimed';
        return { is: 'vhtlc.final', purpose: 'claim', txid: effect.txid };
      case 'htlc.spend':
        return spend(effect);
      case 'onchain.broadcast':
        return keep(effect.txid);
      default:
        return fail(`nobody asked for ${effect.do}`);
    }
  }

  function work(): void {
    const [effect] = effects;
    if (effect === undefined) return;
    const answer = act(effect);
    // A lost answer, or a node that died before its commit: the effect is still owed.
    if (answer !== null && !unlucky(5)) hear(answer, effect);
  }

  function pay(): void {
    const { amount } = deal.source;
    const [given = amount] = [[amount, amount, amount + 900n, amount - 1n, 500n][roll(5)]];
    if (paid.length < 4)
      paid.push({
        outpoint: { txid: `${paid.length}`.padStart(64, 'f'), vout: 0 },
        amount: given,
        height: null,
        spend: null,
      });
  }

  function provide(): void {
    if (target === 'none' && lock === null && roll(2) === 0) {
      const { amount, script, vhtlc } = deal.target;
      const given = roll(4) === 0 ? amount - 1n : amount;
      lock = coin({ amount: sats(given), script, expiresAt: unix(vhtlc.refundLocktime + 86_400 * roll(2)) });
      target = 'locked';
    }
    if (target === 'locked' && wall - 1_800 > deal.target.vhtlc.refundLocktime) target = 'back';
    const source = paid.find(({ amount, height: mined }) => mined !== null && amount >= deal.source.amount);
    if (isOut && source !== undefined && source.spend === null && !paid.some(({ spend: by }) => by?.by === 'claim'))
      source.spend = { id: txid.client, by: 'claim', height: null };
  }

  function mine(): void {
    height++;
    wall += 600;
    for (const one of paid) {
      one.height ??= height;
      if (one.spend !== null) one.spend.height ??= height;
    }
  }

  function turn(kind: number): void {
    if (kind === 0) pay();
    else if (kind === 1) provide();
    else if (kind === 2) mine();
    else if (kind === 3) wall += [60, 3_600, 6 * 3_600, 13 * 3_600][roll(4)] ?? 0;
    else if (kind === 4) hear({ is: 'clock' });
    else if (kind === 5) look();
    else if (kind === 6) hear({ is: 'refund.requested' });
    else work();
  }

  while (next < numbers.length) turn(roll(10));
  // What comes after the game is fair: nobody pays any more, and time goes on.
  for (let i = 0; i < 90; i++) {
    provide();
    // Whoever paid after the swap was over, and is not looked for any more, asks for it.
    if (progress.at === 'lapsed') hear({ is: 'refund.requested' });
    look();
    hear({ is: 'clock' });
    for (let j = 0; j < 4; j++) work();
    mine();
    if (i === 20 || i === 30) wall += 86_400;
  }

  const ours = paid.filter(({ spend: by }) => by?.by === 'refund');
  const theirs = paid.filter(({ spend: by }) => by?.by === 'claim');
  const left = paid.filter(({ spend: by, amount }) => by === null && amount >= leastRefund);
  const isOurs = target === 'claimed';
  const paidFor = paid.some(({ amount }) => amount >= deal.source.amount);
  if (isOurs && paidFor && theirs.length === 0 && left.length === 0) fail('we have both legs');
  if (left.length > 0 && machine.open(t, progress)) fail(`something is left at the address: ${progress.at}`);
  if (!isOurs && target !== 'accepted' && left.length > 0) fail(`our coin was given up: ${progress.at}`);
  if (isOurs && left.length > 1) fail('more than the provider’s coin is left');
  if (effects.length > 0 && progress.at !== 'claiming')
    fail(`something is still owed: ${effects.map((one) => one.do).join()}`);
  return { claimed: isOurs, refunds: ours.length };
}

test('nobody has both legs, nothing of ours is left, and the secret leaves for a good lock alone', () => {
  const outcomes = { claimed: 0, refunded: 0 };
  const games = fc.array(fc.nat({ max: 9_999 }), { minLength: 40, maxLength: 300, size: 'max' });
  fc.assert(
    fc.property(games, (numbers) => {
      const { claimed, refunds } = play(numbers);
      if (claimed) outcomes.claimed++;
      if (refunds > 0) outcomes.refunded++;
    }),
    { numRuns: 2_000, seed: 20_261_122 },
  );
  expect([outcomes.claimed > 100, outcomes.refunded > 100]).toEqual([true, true]);
});
