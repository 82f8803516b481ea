import { expect, test } from 'vitest';
import { evmBook } from '../../../engine/service/books/evm.ts';
import type { Networks } from '../../../engine/service/networks/networks.ts';
import type { Runtime } from '../../../engine/runtime/runtime.ts';

const network = 'evm:137';
const coin = new Uint8Array(20);

/** A wallet whose books did not begin, at readings that are told one after the other. */
function unopened() {
  let reading: object = { state: 'absent' };
  const own = { last: 0, open: [] as { nonce: number; mined: { by: string; took: never[] } | null }[] };
  const runtime = {
    store: {
      nonces: { open: () => own.open, last: () => own.last },
      ledger: { balance: () => null },
      bookCoins: { all: () => new Map<string, bigint>() },
    },
    ports: { [network]: { account: () => coin } },
  } as unknown as Runtime;
  const networks = { chains: new Map([[network, { last: () => reading }]]) } as unknown as Networks;
  const book = evmBook(runtime, () => networks, network, 'coin');
  async function look(units: bigint | 'the same reading') {
    if (units !== 'the same reading')
      reading = { state: 'connected', facts: { coin: { token: coin, units }, pegged: null } };
    const now = await book.look();
    return 'unknown' in now ? null : now.verdict.lines.map(({ kind, amount }) => [kind, amount]);
  }
  return { own, look };
}

test('the books of an account begin with what stands: one reading may be of another RPC', async () => {
  const { look } = unopened();
  expect([await look(100n), await look(100n), await look(90n), await look(90n)]).toEqual([null, null, null, null]);
  expect(await look('the same reading')).toBeNull();
  expect(await look(90n)).toEqual([['opening', 90n]]);
});

test('a reading that may be older than a transaction of ours says nothing', async () => {
  const { own, look } = unopened();
  expect([await look(100n), await look(100n), await look(100n)]).toEqual([null, null, null]);
  // Signed, mined and buried since it was read.
  own.last = 1;
  expect([await look(100n), await look('the same reading')]).toEqual([null, null]);
  expect([await look(90n), await look(90n), await look(90n)]).toEqual([null, null, [['opening', 90n]]]);
});
