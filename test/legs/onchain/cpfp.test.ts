import { describe, expect, it } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import { planCpfp } from '../../../engine/legs/onchain/cpfp.ts';
import { sendSize } from '../../../engine/legs/onchain/size.ts';

/** A Taproot output: its child spends one key path and pays one output. */
const script = Uint8Array.of(0x51, 32, ...new Uint8Array(32));
const size = sendSize(1, [script]);
const parent = { fee: sats(154), size: 154 };
const ask = { change: sats(30_000), parent, mostFee: sats(20_000), replaces: null };

describe('a child that pays for its parent', () => {
  it('pays what both together lack, of the change alone', () => {
    const plan = planCpfp({ ...ask, rate: 20 }, script);
    const fee = BigInt(20 * (154 + size) - 154);
    expect(plan).toEqual({ fee, left: 30_000n - fee, rate: 20, capped: false });
  });

  it('pays its own relay where its parent pays enough for both', () => {
    expect(planCpfp({ ...ask, parent: { fee: sats(50_000), size: 154 }, rate: 20 }, script)?.fee).toBe(BigInt(size));
  });

  it('pays more than the one that it replaces, by what nodes want for another transaction', () => {
    const first = planCpfp({ ...ask, rate: 20 }, script)?.fee ?? sats(0);
    expect(planCpfp({ ...ask, replaces: first, rate: 20 }, script)?.fee).toBe(first + BigInt(size));
  });

  it('pays no more than it may, and leaves no dust', () => {
    expect(planCpfp({ ...ask, rate: 400 }, script)).toMatchObject({ fee: 20_000n, capped: true });
    expect(planCpfp({ ...ask, change: sats(10_000), rate: 400 }, script)).toMatchObject({ fee: 9_670n, left: 330n });
  });

  it('is none where nothing is left for it', () => {
    expect([
      planCpfp({ ...ask, change: sats(400), rate: 20 }, script),
      planCpfp({ ...ask, mostFee: sats(50), rate: 20 }, script),
      planCpfp({ ...ask, replaces: sats(19_950), rate: 20 }, script),
    ]).toEqual([null, null, null]);
  });
});
