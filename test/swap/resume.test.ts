import { describe, expect, test } from 'vitest';
import { clocksAt, start } from './cases.ts';
import { everyDirection, sidesOf } from './every-case.ts';
import { afterLoss, purposeOf, type Lost } from './outboxes.ts';
import { everyPair, explorePair } from './pair-explore.ts';
import { withEveryClock } from './pair-halves.ts';

/** What may have waited in an outbox and is nothing to who lost it: the reason of each. */
function isNothing(what: string, { progress }: Lost): boolean {
  const {
    at,
    racing,
    redeem,
    redeemTxid,
    end = null,
  } = progress as Lost['progress'] & {
    readonly racing?: true;
    readonly redeem?: object;
    readonly redeemTxid?: string;
    readonly end?: string | null;
  };
  const isRevealed = at === 'claiming' || at === 'claimed' || at === 'lost';
  switch (what) {
    // By the client's signature: it asks again, or goes by itself.
    case 'relay-claim':
    case 'fund on evm':
    case 'relay-refund':
      return true;
    // The invoice of a swap that nobody was told of.
    case 'hold.create':
      return true;
    case 'tell its cost':
      return true;
    // The refund of it finds out.
    case 'whose batch':
      return at === 'refunding' || racing === undefined;
    case 'claim on arkade':
    case 'claim on bitcoin':
    case 'claim on evm':
      return at === 'claimed';
    // The claim that was seen is a fact.
    case 'refund on arkade':
      return (isRevealed && racing === undefined) || at === 'returned' || at === 'refunded';
    // Beside a claim of the client's none is sent; what is there after a doubt is taken back when its time comes.
    case 'refund on evm':
      return redeemTxid !== undefined;
    case 'refund on bitcoin':
      return redeem !== undefined || !(at === 'refunding' || at === 'lost') || end !== null;
    // A claim that the state does not know of any more, or that is buried.
    case 'htlc.resend':
      return redeem === undefined || end !== null;
    // Buried under what took our coin.
    case 'keep our funding':
      return end !== null || at === 'refunded' || at === 'returned';
    default:
      return false;
  }
}

describe.each(everyDirection)('%s', (direction, of) => {
  const sides = sidesOf(direction);
  const lost = afterLoss(of, sides);

  test('whatever may have waited in the outbox is owed by the state alone', () => {
    const missing = lost.flatMap((one) =>
      [...one.outbox]
        .filter((what) => !one.orders.has(what) && !isNothing(what, one))
        .map((what) => `${one.name}: ${what}`),
    );
    expect([...new Set(missing)]).toEqual([]);
  });

  test('nothing is owed that the swap never asked for, but once more what was called spent', () => {
    const extra = lost
      .filter(({ progress }) => !('halted' in progress))
      .flatMap(({ name, orders, outbox }) =>
        [...orders].filter((what) => !outbox.has(what)).map((what) => `${name}: ${what}`),
      );
    expect([...new Set(extra)]).toEqual([]);
  });

  test('the state stays what it is: its name, its status, what is open of it, and what a bundle holds', () => {
    for (const { before, after } of lost) expect(after).toEqual(before);
  });
});

describe.each(everyPair)('%s', (_, claim, fund) => {
  test('what a state owes is never both legs, nor what a secret is out for', () => {
    const { machine, terms, states, fund: half } = explorePair(claim, fund, () => undefined);
    const wrong = states.flatMap((progress) => {
      const owes = machine.resume?.(terms, progress, withEveryClock(clocksAt(start))).effects ?? [];
      const all = new Set(owes.map((effect) => purposeOf(effect, progress, { claim, fund })));
      const has = (what: string): boolean => [...all].some((one) => one.startsWith(what));
      const isRaced = 'finishing' in progress && progress.finishing === true;
      const isStanding = Object.hasOwn(half.fields.standing, progress.at);
      const faults = [
        (has('claim on') || has('hold.settle')) && progress.at !== 'claiming' ? 'the client’s lock is claimed' : '',
        has('refund on') && !isStanding && progress.at !== 'lost' && !isRaced
          ? 'what is the client’s is taken back'
          : '',
        has('give on') && !isStanding ? 'something is given' : '',
        has('hold.cancel') && (isStanding || progress.at === 'claiming') ? 'what it holds goes back' : '',
      ];
      return faults.filter((fault) => fault !== '').map((fault) => `${progress.at}: ${fault}`);
    });
    expect([...new Set(wrong)]).toEqual([]);
    expect(
      states.some((progress) => (machine.resume?.(terms, progress, clocksAt(start)).effects ?? []).length > 0),
    ).toBe(true);
  });
});
