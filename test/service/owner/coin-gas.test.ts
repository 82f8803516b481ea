import { expect, test } from 'vitest';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { isRefusal } from '../../../engine/domain/errors.ts';
import type { EvmPort } from '../../../engine/legs/evm/port.ts';
import { coinGasOf, sendableOf } from '../../../engine/service/owner/coin-gas.ts';

const network = 'evm:137';
const to = asEvmAddress(new Uint8Array(20).fill(0xd4));
const gwei = 10n ** 9n;
/** What a plain transfer is signed with: its estimate, a quarter of it and a base. */
const now = 46_250n * gwei;
/** Twice 130,000 units, for one more claim. */
const claim = 260_000n * gwei;

function gas(toCome = 0n, change: Partial<EvmPort> = {}) {
  const port = {
    gasFees: async () => ({ is: 'legacy', price: gwei }),
    simulate: async () => ({ is: 'passes', gas: 21_000n }),
    ...change,
  };
  const runtime = { ports: { [network]: port }, gasToCome: { beside: () => toCome } };
  return coinGasOf({ runtime: runtime as never }, network, to);
}

test('all that is free is sent beside twice what its gas costs now', async () => {
  const cost = await gas();
  expect(cost).toEqual({ now, most: 2n * now, later: claim });
  const coins = { free: 10n ** 18n, units: 2n * 10n ** 18n };
  expect(isRefusal(cost) ? null : sendableOf(cost, coins)).toBe(10n ** 18n - 2n * now);
});

test('what claims may need by now stays, where more of the coin is free than that leaves', async () => {
  const sendable = async (toCome: bigint) => {
    const cost = await gas(toCome);
    return isRefusal(cost) ? null : sendableOf(cost, { free: 10n ** 18n, units: 10n ** 18n });
  };
  expect([await sendable(0n), await sendable(10n ** 17n), await sendable(10n ** 18n)]).toEqual([
    10n ** 18n - claim - 2n * now,
    9n * 10n ** 17n - claim - 2n * now,
    -claim - 2n * now,
  ]);
});

test('a contract that takes no coin is refused with what it says', async () => {
  const simulate = async () => ({ is: 'reverts', reason: 'no coins here', data: new Uint8Array() }) as const;
  expect(await gas(0n, { simulate })).toMatchObject({
    refusal: 'forbidden',
    sentence: expect.stringMatching(/takes no coin: no coins here/),
  });
});
