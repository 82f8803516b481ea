import { expect, test } from 'vitest';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import { bitcoinCoin, type CoinPrice } from '../../engine/quote/coin-price.ts';
import { relayTurn } from '../../engine/service/relay-turn.ts';
import type { ServiceContext } from '../../engine/service/context.ts';
import type { SwapRow } from '../../engine/store/swaps.ts';
import { openStore, swapRow } from '../store/support.ts';

const network = 'evm:137';
const address = (byte: number) => asEvmAddress(new Uint8Array(20).fill(byte));
const now = 1_760_500_000;
const gwei = 10n ** 9n;

/** A node that relayed before; every relay is of a swap of its own. */
function relayed(
  relays: readonly { by: number; sats: number | null; ok?: boolean; status?: SwapRow['status']; ago?: number }[],
  price: CoinPrice | null = bitcoinCoin,
  fees = true,
  unsigned: readonly number[] = [],
) {
  const { store } = openStore();
  for (const [i, { by, sats: cost, ok = true, status = 'clientfunded', ago = 60 }] of relays.entries()) {
    const id = `a0000000-0000-4000-8000-0000000000${i + 10}`;
    store.swaps.insert(swapRow({ id, status, terms: { by } }));
    const nonce = { network, account: 'aa', nonce: i } as const;
    const row = { ...nonce, subject: id, purpose: 'relay-fund', deadline: null, value: sats(1), takes: null };
    store.nonces.insert(row, now - ago);
    if (cost !== null) store.nonces.mined(nonce, { by: 'bb', ok, height: 1, cost: BigInt(cost) * 10n * gwei });
  }
  const context = {
    runtime: {
      store,
      workingSet: { all: () => unsigned.map((by) => ({ row: swapRow({ terms: { by } }) })) },
      clock: { now: () => ({ wall: unix(now), bitcoin: { mtp: null, height: null } }) },
    },
    markets: {
      coinPrice: () => price,
      gas: () => (fees ? (units: bigint) => sats(units / 1_000n) : null),
      readSoon: () => undefined,
    },
    config: { ceilings: { unpaidGasPerDaySats: 20_000 } },
  } as unknown as ServiceContext;
  return (by: number) =>
    relayTurn(context, {
      network,
      depositor: address(by),
      depositorOf: ({ terms }) => address((terms as { by: number }).by),
      isAsked: () => true,
    });
}

test('fault 57, evm: a client whose swaps brought no fee has a quarter of what all may cost in a day', () => {
  const turn = relayed([
    { by: 1, sats: 4_999 },
    { by: 2, sats: 5_000 },
  ]);
  expect([turn(1), turn(2)?.refusal, turn(3)]).toEqual([null, 'flood', null]);
});

test('what all cost together has a ceiling too', () => {
  const turn = relayed([1, 2, 3, 4, 5].map((by) => ({ by, sats: 4_000 })));
  expect(turn(6)).toMatchObject({ refusal: 'flood', retryAfter: 86_400 });
});

test('a swap that ended with its fee, and the day before, do not count', () => {
  const turn = relayed([
    { by: 1, sats: 50_000, status: 'serverredeemed' },
    { by: 1, sats: 50_000, ago: 86_401 },
  ]);
  expect(turn(1)).toBeNull();
});

test('what is on its way counts as much as it may cost', () => {
  const turn = relayed(Array.from({ length: 9 }, () => ({ by: 1, sats: null })));
  expect(turn(1)?.refusal).toBe('flood');
});

test('fault 57, evm: what was asked for and is not signed yet takes its room as well', () => {
  const crowd = (by: readonly number[]) => relayed([], bitcoinCoin, true, by);
  const many = (count: number, by: number) => Array.from({ length: count }, () => by);
  expect([crowd(many(8, 1))(1), crowd(many(9, 1))(1)?.refusal, crowd(many(9, 1))(2)]).toEqual([null, 'flood', null]);
  expect(crowd(many(34, 2))(1)?.refusal).toBe('flood');
});

test('three that reverted cost a client its turn, however little they cost', () => {
  const failing = { by: 1, sats: 1, ok: false };
  expect([relayed([failing, failing])(1), relayed([failing, failing, failing])(1)?.refusal]).toEqual([null, 'flood']);
});

test('while nobody knows what gas costs, a first relay is all there is; the next may ask again soon', () => {
  const blind = { refusal: 'unavailable' };
  expect(relayed([], null)(1)).toBeNull();
  expect(relayed([{ by: 2, sats: 1 }], null)(1)).toMatchObject(blind);
  expect(relayed([{ by: 1, sats: null }], bitcoinCoin, false)(2)).toMatchObject(blind);
});
