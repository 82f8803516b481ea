import { describe, expect, test } from 'vitest';
import { height, unix, type ReadClocks } from '../../engine/domain/time.ts';
import { defaultPolicy as policy } from '../../engine/legs/timeout-policy.ts';
import { wrongClaimHeight } from '../../engine/taker/htlc.ts';
import { wrongRefundHeight } from '../../engine/taker/paid-htlc.ts';
import type { OrderTerms } from '../../engine/taker/terms.ts';

const start = 1_800_000_000;
const tip = 900_000;
const day = 144;

/** The chain as a record of then is judged again: so low as the fastest blocks since could have left it. */
function thenBy(days: number): ReadClocks {
  const since = tip - Math.ceil((days * 86_400 + 7_200) / policy.fastBlock);
  return { wall: unix(start - days * 86_400), bitcoin: { mtp: unix(start - days * 86_400), height: height(since) } };
}

/** An HTLC that was made then, by blocks of ten minutes since, and ended after a day of them. */
const madeBy = (days: number) => ({
  btc_htlc_address: '',
  btc_htlc_script_version: 2,
  btc_refund_locktime: tip - days * day + day,
});

const fresh = { policy } as OrderTerms;
const again = { policy, restored: unix(start) } as OrderTerms;

describe('a record is found again however long ago it was made', () => {
  test.each([1, 17, 30, 365])('%i days', (days) => {
    expect(wrongRefundHeight(madeBy(days), again, thenBy(days))).toBeNull();
    expect(wrongClaimHeight(madeBy(days), again, thenBy(days), 0)).toBeNull();
  });

  test('nothing is paid for what ends too far away', () => {
    const clocks = thenBy(0);
    const end = (clocks.bitcoin.height ?? 0) + 7 * day;
    const at = (locktime: number) => ({ ...madeBy(0), btc_refund_locktime: locktime });
    expect([end, end + 1].map((of) => wrongRefundHeight(at(of), fresh, clocks) === null)).toEqual([true, false]);
    expect([end, end + 1].map((of) => wrongClaimHeight(at(of), fresh, clocks, 0) === null)).toEqual([true, false]);
  });
});
