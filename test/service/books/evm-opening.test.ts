import { expect, test } from 'vitest';
import { evmBook } from '../../../engine/service/books/evm.ts';
import type { Networks } from '../../../engine/service/networks/networks.ts';
import type { Runtime } from '../../../engine/runtime/runtime.ts';

const network = 'evm:137';
const coin = new Uint8Array(20);

/** A wallet whose books did not begin, at readings that are told one after the other. */
function unopened() {
  let reading: object = { state: 'absent' };
  const store = {
    nonces: { open: () => [] },
    ledger: { balance: () => null },
    bookCoins: { all: () => new Map<string, bigint>() },
  };
  const networks = { chains: new Map([[network, { last: () => reading }]]) } as unknown as Networks;
  const book = evmBook({ store } as unknown as Runtime, () => networks, network, 'coin');
  return async (units: bigint | 'the same reading') => {
    if (units !== 'the same reading')
      reading = { state: 'connected', facts: { coin: { token: coin, units }, pegged: null } };
    const now = await book.look();
    return 'unknown' in now ? null : now.verdict.lines.map(({ kind, amount }) => [kind, amount]);
  };
}

test('the books of an account begin with what stands: a reading may be older than a buried transaction', async () => {
  const look = unopened();
  expect([await look(100n), await look(90n), await look(90n)]).toEqual([null, null, null]);
  expect(await look('the same reading')).toBeNull();
  expect(await look(90n)).toEqual([['opening', 90n]]);
});
