import { expect, test } from 'vitest';
import { isRefusal, type Refusal } from '../../../engine/domain/errors.ts';
import { type ReadClocks, unix } from '../../../engine/domain/time.ts';
import { coinPayoutLegs, payoutLeg } from '../../../engine/legs/lightning/timelocks.ts';
import { safeToPayForCoin } from '../../../engine/legs/safety/pay.ts';
import { sats } from '../../../engine/domain/money.ts';
import { burialDepth } from '../../../engine/legs/onchain/depth.ts';
import { blocksUp } from '../../../engine/legs/timelocks.ts';
import { defaultPolicy as policy, finalHopPadding } from '../../../engine/legs/timeout-policy.ts';

/*
 * An HTLC of our payment has timed out, and the payee’s own channel partner puts off the transaction that takes it
 * back, until it takes it itself with the secret.
 */

const now = unix(1_800_000_000);
const tip = 900_000;
const network = 'evm:137';
const clocks: ReadClocks = {
  ...{ wall: now, bitcoin: { mtp: now, height: tip } },
  [network]: { mtp: now, height: 1 },
};
/** What invoices ask for: BOLT 11, Core Lightning, LDK, lnd, and the most that a late one may. */
const finals = [18, 22, 42, 80, 144];
const resolves = policy.resolveBlocks ?? 0;

function offered<T extends object>(legs: T | Refusal): T {
  if (isRefusal(legs)) throw new Error(legs.sentence);
  return legs;
}

test.each(finals)(
  'fault 275, bitcoin: a final delta of %i leaves the chain and then our claim their blocks',
  (finalCltv) => {
    for (const confirmations of [1, 3]) {
      const legs = offered(coinPayoutLegs({ clocks, finalCltv, confirmations, policy }));
      expect(resolves).toBeGreaterThanOrEqual(24);
      expect(legs.refundHeight - legs.maxTimeoutHeight).toBe(blocksUp(policy.margin, policy) + resolves);
      // The secret shows fifteen blocks later, is claimed with in the next one, and that is buried.
      expect(legs.maxTimeoutHeight + 15 + 1 + burialDepth).toBeLessThan(legs.refundHeight);
      // After all that a coin is waited for, a route has its 144 blocks.
      const last = legs.maxTimeoutHeight - finalCltv - policy.routeBlocks;
      expect(last - tip).toBeGreaterThanOrEqual(confirmations);
      const pays = (height: number) =>
        safeToPayForCoin(
          {
            ...{ coin: { amount: sats(1_000), depth: confirmations }, sourceAmount: sats(1_000), confirmations },
            ...{ refundLocktime: legs.refundHeight, maxTimeoutHeight: legs.maxTimeoutHeight, finalCltv },
            invoiceExpiresAt: unix(now + 3_600),
          },
          { ...clocks, bitcoin: { mtp: now, height } },
          policy,
        )?.unsafe ?? 'safe';
      const latest = legs.maxTimeoutHeight - finalCltv - finalHopPadding;
      expect([pays(last), pays(latest), pays(latest + 1)]).toEqual(['safe', 'safe', 'never']);
    }
  },
);

test.each(finals)(
  'fault 275, lightning: locks that end by a time wait for the chain too, with a delta of %i',
  (finalCltv) => {
    for (const chain of [{}, { network } as const]) {
      const { refundLocktime, maxTimeoutHeight } = offered(payoutLeg({ clocks, ...chain, finalCltv, policy }));
      const left = refundLocktime - policy.mtpLag - policy.margin - now;
      expect((maxTimeoutHeight + resolves - tip) * policy.slowBlock).toBeLessThanOrEqual(left);
      expect(maxTimeoutHeight - tip).toBeGreaterThanOrEqual(finalCltv + 100);
    }
  },
);
