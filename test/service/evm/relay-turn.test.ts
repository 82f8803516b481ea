import { expect, test } from 'vitest';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import { gasOf } from '../../../engine/quote/gas.ts';
import { relayTurn } from '../../../engine/service/evm/relay-turn.ts';
import { createUnpaid } from '../../../engine/service/evm/unpaid.ts';
import type { ServiceContext } from '../../../engine/service/context.ts';
import type { SwapStatus } from '../../../engine/domain/status.ts';
import type { SwapRow } from '../../../engine/store/swaps.ts';
import { openStore, swapRow } from '../../store/support.ts';

const network = 'evm:137';
const address = (byte: number) => asEvmAddress(new Uint8Array(20).fill(byte));
const name = (byte: number) => `account:${toHex(address(byte))}`;
const now = 1_760_500_000;

interface Relayed {
  readonly status?: SwapStatus;
  readonly by: number;
  readonly sats: number;
  readonly ok?: boolean;
  readonly ago?: number;
}

/**
 * A node that relayed before; every relay is of a swap of its own, and so is each that was asked for and is not signed.
 */
function relayed(relays: readonly Relayed[], { fees = true, waiting = [] as readonly number[] } = {}) {
  const { store } = openStore();
  for (const [i, { by, sats: cost, ok = true, ago = 60, status = 'clientfunded' }] of relays.entries()) {
    const id = `a0000000-0000-4000-8000-0000000000${i + 10}`;
    store.swaps.insert(swapRow({ id, status, terms: { by } }));
    const nonce = { network, account: 'aa', nonce: i } as const;
    const row = { ...nonce, subject: id, purpose: 'relay-fund', deadline: null, value: sats(1), takes: null };
    store.nonces.insert(row, now - ago);
    store.nonces.mined(nonce, { by: 'bb', ok, height: 1, cost: 1n, moved: {} });
    const whose = { clients: [name(by)], paidBefore: false };
    store.outlays.put({ swap: id, network, place: `${i}`, amount: sats(cost) }, whose, now - ago);
  }
  const own = {
    runtime: {
      store,
      workingSet: { all: () => waiting.map((by, i) => ({ row: swapRow({ id: `waiting ${i}`, terms: { by } }) })) },
      clock: { now: () => ({ wall: unix(now), bitcoin: { mtp: null, height: null } }) },
    },
    directions: {
      of: () => ({
        deposit: ({ terms }: SwapRow) => ({
          terms: { clientAddress: address((terms as { by: number }).by) },
          own: null,
          extras: [],
          refund: null,
        }),
      }),
    },
    markets: {
      gas: () => (fees ? (units: bigint) => sats(units / 1_000n) : null),
      readSoon: () => undefined,
    },
    config: { ceilings: { unpaidGasPerDaySats: 40_000 } },
  } as unknown as ServiceContext;
  const context: ServiceContext = { ...own, unpaid: createUnpaid(own) };
  return (by: number) =>
    relayTurn(context, {
      network,
      row: swapRow({ id: 'this', terms: { by } }),
      by: { account: address(by), proven: true },
      isPaid: false,
      unitsOf: () => gasOf.relayFund,
    });
}

test('fault 57, evm: a client whose swaps brought no fee has an eighth of what all may cost in a day', () => {
  const turn = relayed([
    { by: 1, sats: 4_999 },
    { by: 2, sats: 5_000 },
  ]);
  expect([turn(1), turn(2)?.refusal, turn(3)]).toEqual([null, 'flood', null]);
});

test('what all strangers cost together has a ceiling too', () => {
  const turn = relayed([1, 2, 3, 4, 5].map((by) => ({ by, sats: 4_000 })));
  expect(turn(6)).toMatchObject({ refusal: 'flood', retryAfter: 86_400 });
});

test('the day before does not count', () => {
  expect(relayed([{ by: 1, sats: 50_000, ago: 86_401 }])(1)).toBeNull();
});

test('fault 57, evm: what was asked for and is not signed yet takes its room as well', () => {
  const crowd = (by: readonly number[]) => relayed([], { waiting: by });
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
  expect(relayed([], { fees: false })(1)).toBeNull();
  expect(relayed([{ by: 2, sats: 1 }], { fees: false })(1)).toMatchObject(blind);
  expect(relayed([], { fees: false, waiting: [1] })(2)).toMatchObject(blind);
});

test('fault 261, evm: relays that failed count in swaps that ended well too', () => {
  const failing = { by: 1, sats: 1, ok: false, status: 'serverredeemed' } as const;
  expect([relayed([failing, failing])(1), relayed([failing, failing, failing])(1)?.refusal]).toEqual([null, 'flood']);
});
