import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { type ChainClock, type Clocks, hour, type ReadClocks, unix } from '../../engine/domain/time.ts';
import type { CoinFacts } from '../../engine/legs/safety/backing.ts';
import { safeToLock } from '../../engine/legs/safety/lock.ts';
import { safeToPay, safeToPayForLock } from '../../engine/legs/safety/pay.ts';
import { safeToRefund } from '../../engine/legs/safety/refund.ts';
import { safeToReveal } from '../../engine/legs/safety/reveal.ts';
import type { Safety } from '../../engine/legs/safety/verdict.ts';
import { holdLeg, payoutLeg } from '../../engine/legs/lightning/timelocks.ts';
import { revealMargin } from '../../engine/legs/timelocks.ts';
import { defaultPolicy as policy } from '../../engine/legs/timeout-policy.ts';
import { isRefusal } from '../../engine/domain/errors.ts';

const now = unix(1_800_000_000);
const height = 840_000;
const clocks: ReadClocks = { wall: now, bitcoin: { mtp: unix(now - 3_600), height } };
/** The clocks with another reading of the chain. */
function but(change: Partial<ChainClock>, of: Clocks = clocks): Clocks {
  return { ...of, bitcoin: { ...of.bitcoin, ...change } };
}

const unreadClocks: Clocks[] = [but({ mtp: null }), but({ height: null })];

function at(wall: number, mtp: number = wall - 3_600, tip: number = height): ReadClocks {
  return { wall: unix(wall), bitcoin: { mtp: unix(mtp), height: tip } };
}

/** `safe`, or what heals it. */
function verdict(safety: Safety): string {
  return safety === null ? 'safe' : safety.unsafe;
}

describe('locking against a held payment', () => {
  const leg = holdLeg({ clocks, policy });
  if (isRefusal(leg)) throw new Error(leg.sentence);
  const lock: Parameters<typeof safeToLock>[0] = {
    held: { amount: sats(50_000), expiryHeight: height + leg.cltvDelta },
    sourceAmount: sats(50_000),
    vhtlcRefundLocktime: leg.vhtlcRefundLocktime,
  };

  it('is safe at once, and a few blocks later', () => {
    expect([
      safeToLock(lock, clocks, policy),
      safeToLock(lock, at(now + 60, clocks.bitcoin.mtp, height + policy.reactionBlocks), policy),
    ]).toEqual([null, null]);
  });

  it('waits for the clocks and for the node to say that the payment is held', () => {
    expect([
      ...unreadClocks.map((unread) => verdict(safeToLock(lock, unread, policy))),
      verdict(safeToLock({ ...lock, held: null }, clocks, policy)),
    ]).toEqual(['wait', 'wait', 'wait']);
  });

  it('fault 49: waits while the sources of the chain disagree, and is refused once the time is over', () => {
    const doubt = { doubt: 'Two of them differ.' };
    expect([
      safeToLock(lock, but(doubt), policy),
      verdict(safeToLock(lock, { ...at(now, leg.lockBefore + 1), ...doubt }, policy)),
    ]).toEqual([{ unsafe: 'wait', sentence: 'Two of them differ.' }, 'never']);
  });

  it('is refused for good when too little is held, for too short, or too late', () => {
    const held = { amount: sats(50_000), expiryHeight: height + leg.minHoldBlocks };
    expect([
      verdict(safeToLock({ ...lock, held }, clocks, policy)),
      verdict(safeToLock({ ...lock, held: { ...held, expiryHeight: held.expiryHeight - 1 } }, clocks, policy)),
      verdict(safeToLock({ ...lock, held: { ...held, amount: sats(49_999) } }, clocks, policy)),
      verdict(safeToLock(lock, at(now, leg.lockBefore), policy)),
      verdict(safeToLock(lock, at(now, leg.lockBefore + 1), policy)),
      verdict(safeToLock(lock, at(now + 1_000_000, clocks.bitcoin.mtp), policy)),
    ]).toEqual(['safe', 'never', 'never', 'safe', 'never', 'safe']);
  });
});

const coin: CoinFacts = {
  amount: sats(50_200),
  expiresAt: unix(now + 30 * 24 * hour),
  recoverable: false,
  unrolled: false,
  spent: false,
};
const badCoins: Partial<CoinFacts>[] = [
  { spent: true },
  { recoverable: true },
  { unrolled: true },
  { amount: sats(50_199) },
  { expiresAt: now },
];

const { resolveBlocks: resolves = 0 } = policy;

describe('paying against the client’s VHTLC', () => {
  const leg = payoutLeg({ clocks, finalCltv: 80, policy });
  if (isRefusal(leg)) throw new Error(leg.sentence);
  const pay: Parameters<typeof safeToPay>[0] = {
    coin,
    sourceAmount: sats(50_200),
    refundLocktime: leg.refundLocktime,
    maxTimeoutHeight: leg.maxTimeoutHeight,
    finalCltv: 80,
    invoiceExpiresAt: unix(now + 3_600),
  };

  it('is safe at once', () => {
    expect(safeToPay(pay, clocks, policy)).toBeNull();
  });

  it('waits for the clocks', () => {
    expect(unreadClocks.map((unread) => verdict(safeToPay(pay, unread, policy)))).toEqual(['wait', 'wait']);
  });

  it('is refused for good when the coin does not hold, the invoice ends, or the height is used up', () => {
    const lastHeight = leg.maxTimeoutHeight - 83;
    const lastMoment = leg.refundLocktime - policy.mtpLag - policy.margin - (83 + resolves) * policy.slowBlock;
    const long = { ...pay, invoiceExpiresAt: unix(now + 1_000_000) };
    expect([
      ...badCoins.map((bad) => verdict(safeToPay({ ...pay, coin: { ...coin, ...bad } }, clocks, policy))),
      verdict(
        safeToPay({ ...pay, coin: { ...coin, expiresAt: unix(leg.refundLocktime + policy.margin) } }, clocks, policy),
      ),
      verdict(
        safeToPay(
          { ...pay, coin: { ...coin, expiresAt: unix(leg.refundLocktime + policy.margin - 1) } },
          clocks,
          policy,
        ),
      ),
      verdict(safeToPay({ ...pay, invoiceExpiresAt: unix(now + 60) }, clocks, policy)),
      verdict(safeToPay({ ...pay, invoiceExpiresAt: unix(now + 59) }, clocks, policy)),
      verdict(safeToPay(long, at(now, clocks.bitcoin.mtp, lastHeight), policy)),
      verdict(safeToPay(long, at(now, clocks.bitcoin.mtp, lastHeight + 1), policy)),
      verdict(safeToPay(long, at(now, lastMoment), policy)),
      verdict(safeToPay(long, at(now, lastMoment + 1), policy)),
    ]).toEqual([...badCoins.map(() => 'never'), 'safe', 'never', 'safe', 'never', 'safe', 'never', 'safe', 'never']);
  });
});

describe('paying against the client’s lock on an EVM chain', () => {
  const network = 'evm:137';
  const chain: ChainClock = { mtp: unix(now - 2), height: 60_000_000 };
  const both: ReadClocks = { ...clocks, [network]: chain };
  const leg = payoutLeg({ clocks: both, network, finalCltv: 80, policy });
  if (isRefusal(leg)) throw new Error(leg.sentence);
  const pay: Parameters<typeof safeToPayForLock>[0] = {
    network,
    depth: 16,
    confirmations: 16,
    refundLocktime: leg.refundLocktime,
    maxTimeoutHeight: leg.maxTimeoutHeight,
    finalCltv: 80,
    invoiceExpiresAt: unix(now + 3_600),
  };
  const judge = (change: Partial<typeof pay> = {}, times: Clocks = both) =>
    verdict(safeToPayForLock({ ...pay, ...change }, times, policy));

  it('is safe once the lock is deep enough', () => {
    expect([judge(), judge({ depth: 17 }), judge({ depth: 0, confirmations: 0 })]).toEqual(['safe', 'safe', 'safe']);
  });

  it('fault 36: waits for clocks, depth and the lock itself, and while sources disagree', () => {
    const doubt = 'Two RPCs differ.';
    expect([
      ...unreadClocks.map((unread) => judge({}, { ...unread, [network]: chain })),
      judge({}, clocks),
      judge({}, { ...clocks, [network]: { mtp: null, height: null } }),
      judge({}, { ...clocks, [network]: { ...chain, doubt } }),
      judge({}, { ...but({ doubt }), [network]: chain }),
      judge({ depth: null }),
      judge({ depth: 15 }),
    ]).toEqual(Array.from({ length: 8 }, () => 'wait'));
  });

  it('is refused for good when the invoice ends, the height is used up, or its own chain is too late', () => {
    const long = { invoiceExpiresAt: unix(now + 1_000_000) };
    const lastHeight = leg.maxTimeoutHeight - 83;
    const last = leg.refundLocktime - policy.mtpLag - policy.margin - (83 + resolves) * policy.slowBlock;
    const chainAt = (mtp: number, of: Clocks = clocks): Clocks => ({ ...of, [network]: { mtp: unix(mtp), height: 1 } });
    expect([
      judge({ invoiceExpiresAt: unix(now + 60) }),
      judge({ invoiceExpiresAt: unix(now + 59) }),
      judge(long, chainAt(now, at(now, now, lastHeight))),
      judge(long, chainAt(now, at(now, now, lastHeight + 1))),
      judge(long, chainAt(last)),
      judge(long, chainAt(last + 1)),
      // Bitcoin's clock opens nothing there, and a lock that is not seen in time never is.
      judge(long, chainAt(now, at(now, last + 90_000))),
      judge({ ...long, depth: null }, chainAt(last + 1)),
    ]).toEqual(['safe', 'never', 'safe', 'never', 'safe', 'never', 'safe', 'never']);
  });
});

describe('revealing the secret to claim a VHTLC', () => {
  const refundLocktime = unix(now + 12 * hour);
  const claim: Parameters<typeof safeToReveal>[0] = { coin, targetAmount: sats(50_200), refundLocktime };

  it('is safe while the refund is far, and waits for median time past', () => {
    expect([
      verdict(safeToReveal(claim, clocks, policy)),
      verdict(safeToReveal(claim, but({ mtp: null }), policy)),
      verdict(safeToReveal(claim, but({ height: null }), policy)),
    ]).toEqual(['safe', 'wait', 'safe']);
  });

  it("is refused near the refund by the chain's clock, and against a coin that does not hold by either", () => {
    const last = refundLocktime - policy.mtpLag - revealMargin(policy);
    const dies = { ...claim, coin: { ...coin, expiresAt: unix(now + revealMargin(policy) + policy.mtpLag) } };
    expect([
      verdict(safeToReveal(claim, at(now, last), policy)),
      verdict(safeToReveal(claim, at(now, last + 1), policy)),
      verdict(safeToReveal(claim, at(refundLocktime + 1), policy)),
      verdict(safeToReveal(claim, at(refundLocktime + 1, clocks.bitcoin.mtp), policy)),
      verdict(safeToReveal(dies, at(now, now), policy)),
      verdict(safeToReveal(dies, at(now, now + 1), policy)),
      verdict(safeToReveal(dies, at(now + policy.mtpLag, now), policy)),
      verdict(safeToReveal(dies, at(now + policy.mtpLag + 1, now), policy)),
      ...badCoins.map((bad) => verdict(safeToReveal({ ...claim, coin: { ...coin, ...bad } }, clocks, policy))),
    ]).toEqual(['safe', 'never', 'never', 'safe', 'safe', 'never', 'safe', 'never', ...badCoins.map(() => 'never')]);
  });
});

describe('refunding our own leg', () => {
  const refundLocktime = unix(now + 12 * hour);

  it('waits until median time past is above the locktime, whatever the wall clock says', () => {
    const cases = [
      at(refundLocktime + 100_000, refundLocktime - 1),
      at(refundLocktime + 100_000, refundLocktime),
      at(now, refundLocktime + 1),
      but({ mtp: null }),
    ];
    expect(cases.map((time) => verdict(safeToRefund({ refundLocktime }, time)))).toEqual([
      'wait',
      'wait',
      'safe',
      'wait',
    ]);
  });
});

describe('two readings of the chain', () => {
  const offered = holdLeg({ clocks, policy });
  const payout = payoutLeg({ clocks, finalCltv: 80, policy });
  if (isRefusal(offered) || isRefusal(payout)) throw new Error('no leg');
  const lock = {
    held: { amount: sats(50_000), expiryHeight: height + offered.cltvDelta },
    sourceAmount: sats(50_000),
    vhtlcRefundLocktime: offered.vhtlcRefundLocktime,
  } as const;
  const pay = {
    coin,
    sourceAmount: sats(50_200),
    refundLocktime: payout.refundLocktime,
    maxTimeoutHeight: payout.maxTimeoutHeight,
    finalCltv: 80,
    invoiceExpiresAt: unix(now + 1_000_000),
  } as const;
  const claim = { coin, targetAmount: sats(50_000), refundLocktime: offered.vhtlcRefundLocktime };
  const risks: Record<string, (at: Clocks) => Safety> = {
    lock: (at) => safeToLock(lock, at, policy),
    pay: (at) => safeToPay(pay, at, policy),
    reveal: (at) => safeToReveal(claim, at, policy),
  };

  it.each(Object.keys(risks))('fault 45: %s is safe only where it is by each of them alone', (name) => {
    const judge = risks[name]!;
    const span = fc.record({ mtp: fc.nat(30 * hour), height: fc.nat(200) });
    fc.assert(
      fc.property(
        span,
        fc.record({ mtp: fc.oneof(fc.constant(0), fc.nat(30 * hour)), height: fc.nat(200) }),
        (passed, more) => {
          const tip = at(now, clocks.bitcoin.mtp + passed.mtp, height + passed.height);
          const ahead = { mtp: unix(tip.bitcoin.mtp + more.mtp), height: tip.bitcoin.height + more.height };
          if (judge(but({ ahead }, tip)) === null) expect([judge(tip), judge(but(ahead, tip))]).toEqual([null, null]);
        },
      ),
    );
  });

  it('fault 45: what is ours is taken back by the later one, also while the other is not read', () => {
    const { vhtlcRefundLocktime: refundLocktime } = offered;
    const late = { mtp: unix(refundLocktime + 1), height };
    const early = { mtp: refundLocktime, height };
    const frozen = at(refundLocktime + 9_000, clocks.bitcoin.mtp);
    const unread = { wall: unix(refundLocktime + 9_000), bitcoin: { mtp: null, height: null } };
    expect(
      [
        but({ ahead: late }, frozen),
        but({ ahead: early }, frozen),
        but({ ahead: late }, unread),
        but({ ahead: early }, unread),
        unread,
      ].map((read) => verdict(safeToRefund({ refundLocktime }, read))),
    ).toEqual(['safe', 'wait', 'safe', 'wait', 'wait']);
    expect([
      verdict(safeToLock(lock, but({ ahead: late }, unread), policy)),
      verdict(safeToPay(pay, but({ ahead: late }, unread), policy)),
      verdict(safeToReveal(claim, but({ ahead: late }, unread), policy)),
    ]).toEqual(['wait', 'wait', 'wait']);
  });
});
