import { expect, test } from 'vitest';
import { sats, tokenAmount } from '../../engine/domain/money.ts';
import { targetTerms } from '../../engine/service/lock/opening.ts';
import { fundOnEvm } from '../../engine/swap/halves/evm/fund/half.ts';
import { arkadeEvmTerms, evmSeen, evmTxid, lockEnds, network, seenLock } from '../swap/arkade-evm-cases.ts';
import { clocksAt, start } from '../swap/cases.ts';

/*
 * Locks of ours that are little each are taken back in one block. Whoever replaces it by one with its claims has all of
 * them, beside what it gave where that went back by then.
 */

type Arguments = Parameters<typeof targetTerms>;

/** Of a lock of so much, on a chain whose owner wants 3 blocks of little and 12 of much. */
function termsOf(value: bigint) {
  const { lock, contracts, pegged, targetAddress, hash } = arkadeEvmTerms;
  const context = { config: { evm: { 137: { confirmations: [3, 12] } } } };
  const request = { claimingAddress: lock.claimAddress, claimingText: '', gasless: true, hash };
  const swap = {
    ...{ network, market: { pegged, slippageBps: 100 }, chain: { contracts }, account: lock.refundAddress },
    ...{ onward: null, destination: targetAddress, token: pegged },
    order: { locked: value, token: tokenAmount(value) },
    price: { source: sats(value), target: sats(value) },
  };
  const leg = { timelock: lockEnds, lockBefore: lockEnds, fundBefore: lockEnds };
  return targetTerms(
    context as unknown as Arguments[0],
    request as unknown as Arguments[1],
    swap as unknown as Arguments[2],
    leg,
    clocksAt(start) as Arguments[4],
  );
}

test('fault 343, evm: a refund of a small lock is final where one of any amount is', () => {
  const terms = termsOf(9_900_000n);
  expect(terms.burial).toBe(termsOf(99_000_000n).burial);
  const { lock, refund: refundTxid } = evmTxid;
  const refunding = { at: 'refunding', sent: lock, fundTxid: lock, refundTxid, relay: null } as const;
  const backing = { back: lockEnds } as Parameters<typeof fundOnEvm.standing>[4];
  const at = (confirmations: number) => {
    const event = evmSeen([seenLock({ is: 'refunded', txid: refundTxid, confirmations })]);
    return fundOnEvm.standing({ ...arkadeEvmTerms, burial: terms.burial }, refunding, event, clocksAt(start), backing);
  };
  expect([at(3), at(11)]).toEqual(['stay', 'stay']);
  expect(at(12)).toMatchObject({ fact: 'returned', returned: { returnTxid: refundTxid } });
});
