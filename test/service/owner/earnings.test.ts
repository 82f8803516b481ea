import { afterAll, beforeAll, expect, test } from 'vitest';
import { btc } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import { accepted } from '../../support/bitcoin-wallet.ts';
import { startEvmWorld, type EvmWorld } from '../../support/evm/world.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { swapRow } from '../../store/support.ts';

const day = 86_400;
const first = 20_000 * day;
let evm: EvmWorld;
let scene: Scene;

beforeAll(async () => {
  evm = await startEvmWorld(() => Math.floor(Date.now() / 1_000));
  scene = await openScene({ evm }, 'usual');
  scene.booksDiffer('lines of swaps that never were are written to the ledger');
  const { store } = scene.node;
  const swap = (id: string, machine: string, at: number, valueSats: bigint, done = true): void =>
    store.swaps.insert({
      ...swapRow({ id, machine, createdAt: unix(at), valueSats }),
      ...(done ? { status: 'serverredeemed', open: false } : { status: 'expired', open: false }),
    });
  swap('a', 'lightning-arkade', first + 5, 100n);
  swap('b', 'lightning-arkade', first + 6, 50n);
  swap('c', 'lightning-arkade', first + 7, 999n, false);
  swap('d', 'arkade-evm', first + day, 70n);
  swap('e', 'take-evm-bitcoin', first + day, 5n);
  swap('f', 'withdraw-bitcoin', first + day, 5n);
  const token = { network: 'evm:137', asset: evm.endpoints.tokens[0]!.address.toLowerCase() as `0x${string}` } as const;
  const coin = { network: 'evm:137', asset: `0x${'0'.repeat(40)}` } as const;
  store.ledger.write('a', first + 9, 'protocol-fee', btc('lightning', 3n));
  store.ledger.write('b', first + 9, 'lightning-fee-paid', { ...btc('lightning', 0n), amount: -1_250n });
  store.ledger.write('a', first + 9, 'moved', btc('arkade', -100n));
  store.ledger.write('d', first + day + 9, 'protocol-fee', { ...token, amount: 4n });
  store.ledger.write('d', first + day + 9, 'gas-paid', { ...coin, amount: -(10n ** 19n) });
  store.ledger.write('d', first + day + 9, 'relay-gas-paid', { ...coin, amount: -1n });
  store.ledger.write('f', first + day + 9, 'network-fee-paid', btc('bitcoin', -7n));
});
afterAll(async () => {
  await scene.end();
  await evm.stop();
});

test('each direction has its volume and its result by day; own swaps and wallets are no volume', async () => {
  const { from, to, days } = accepted(
    await scene.node.service.owner.earnings({ from: first + 1, to: first + day + 1 }),
  );
  expect([from, to]).toEqual([first, first + 2 * day]);
  const none = { swaps: 0, volume_sats: 0, earned: '0', paid: '0', gas: [] };
  expect(days.toSorted((a, b) => a.day - b.day || String(a.pair).localeCompare(String(b.pair)))).toEqual([
    { ...none, day: first, pair: 'lightning_to_arkade', swaps: 2, volume_sats: 150, earned: '3', paid: '1.250' },
    {
      ...none,
      day: first + day,
      pair: 'arkade_to_evm',
      swaps: 1,
      volume_sats: 70,
      earned: '4',
      gas: [{ network: 'evm:137', amount: String(10n ** 19n + 1n) }],
    },
    { ...none, day: first + day, pair: null, paid: '7' },
  ]);
});

test('a time that is too long, or ends before it begins, is refused with what to send', async () => {
  const { earnings } = scene.node.service.owner;
  expect(await earnings({ from: first, to: first - day })).toMatchObject({ refusal: 'invalid' });
  expect(await earnings({ from: first, to: first + 400 * day })).toMatchObject({
    sentence: 'from and to are 401 days apart: ask for at most 400 at once.',
  });
  expect(accepted(await earnings({ from: first, to: first + 399 * day })).days).not.toEqual([]);
});
