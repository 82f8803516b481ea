import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { evmBitcoin } from '../../../engine/contract/directions/evm-bitcoin.ts';
import { parse } from '../../../engine/contract/field.ts';
import { isRefusal } from '../../../engine/domain/errors.ts';
import { noSats, sats } from '../../../engine/domain/money.ts';
import type { ServiceContext } from '../../../engine/service/context.ts';
import { onChain } from '../../../engine/service/directions/direction.ts';
import { evmBitcoinDirection } from '../../../engine/service/directions/evm-bitcoin.ts';
import { limitsOf, roomNow } from '../../../engine/service/limits/limits.ts';
import { usdc, wbtc } from '../../adapters/dex/market.ts';
import { hex, network, openPools, type OpenPools } from './context.ts';

let open: OpenPools;
let plain: ServiceContext;
beforeAll(async () => {
  open = await openPools();
  plain = await open.contextWith(wbtc, [usdc]);
});
afterAll(() => open.stop());

/** The same node, with coins on the Bitcoin chain, which asks for so many sats a virtual byte. */
function at(rate: number | null): ServiceContext {
  const { networks, ...rest } = plain;
  return {
    ...rest,
    networks: {
      ...networks,
      closed: () => null,
      bitcoinRate: () => rate,
      bitcoinFree: () => sats(50_000_000),
      feeReserve: () => ({ ...networks.feeReserve(), total: noSats, held: noSats }),
    },
  } as ServiceContext;
}

async function create(rate: number | null, amount: bigint): Promise<string> {
  const request = parse(evmBitcoin.route.body, {
    btc_htlc_script_version: 1,
    claim_pk: '02'.repeat(32),
    evm_chain_id: 137,
    hash_lock: `0x${randomBytes(32).toString('hex')}`,
    token_address: hex(wbtc),
    user_address: `0x${'99'.repeat(20)}`,
    user_id: 'wallet',
    amount_out: Number(amount),
  });
  const made = isRefusal(request) ? request : await evmBitcoinDirection.create(at(rate), request, null);
  return isRefusal(made) ? `${made.refusal}: ${made.sentence}` : made.status;
}

const direction = onChain(evmBitcoinDirection, network);
const least = (rate: number) => limitsOf(at(rate), direction).min;

test('a create from an EVM chain to Bitcoin is refused below what it costs by now, and pairs say so', async () => {
  const [calm, dear] = [least(2), least(60)];
  expect([dear > calm, roomNow(at(60), direction)]).toEqual([true, expect.objectContaining({ min: dear })]);
  expect([await create(2, calm), await create(60, dear - 1n), await create(60, dear)]).toEqual([
    'pending',
    `invalid: Min amount is ${dear} sats; the swap would pay out ${dear - 1n}: ask for more.`,
    'pending',
  ]);
});

test('while nobody can say what the Bitcoin chain asks for, nothing is begun', async () => {
  expect(await create(null, 100_000n)).toMatch(/^unavailable: What a transaction on the Bitcoin chain costs/);
});
