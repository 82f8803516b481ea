import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { decodeInvoice } from '../../engine/adapters/lnd/decode.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { wireDirections } from '../../engine/domain/chain.ts';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Event } from '../../engine/swap/machine.ts';
import type { TakeEvmLightningTerms } from '../../engine/taker/directions/evm-lightning.ts';
import type { OrderTerms } from '../../engine/taker/terms.ts';
import { deposit } from '../support/bitcoin-wallet.ts';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import { seedOf } from '../support/node.ts';
import { startWorld } from '../support/world.ts';
import { patient, restored } from './lost.ts';
import { mutations, type Json, type Mutation } from './mutations.ts';
import { startPair, takerSeed, type Pair } from './pair.ts';
import type { TakeEvmLightningProgress } from './taken.ts';
import { takenEvmLightning } from '../../engine/taker/directions/evm-lightning.ts';

/*
 * Records of a real provider as a recovery answers them, each with every field changed in turn. The taker still has its
 * swaps, so what is found right is held, or opened beside it where nothing but its provider's id tells it apart;
 * everything else must be refused.
 */

let pair: Pair;
let chain: EvmWorld;
let records: readonly Json[];
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const amount = 50_000n;
const evm = { chainId: 137, token: null, gasless: true };

beforeAll(async () => {
  const world = startWorld();
  chain = await startEvmWorld(() => world.now());
  pair = await startPair({
    world,
    taker: { evm: chain, bitcoinWallet: true, ...patient.taker },
    provider: { evm: chain, bitcoinWallet: true, ...patient.provider },
  });
  await deposit({ world, node: pair.provider }, 1_000_000);
  await pair.fromLightning(amount);
  await pair.toLightning(pair.world.invoice(amount).bolt11, amount);
  await pair.fromBitcoin(amount);
  const destination = asEvmAddress(fromHex('11'.repeat(20)));
  const common = { amount: sats(amount), provider: '' };
  const created = [
    await pair.taker.taker.create({
      ...common,
      direction: 'arkade-evm',
      invoice: null,
      evm: { ...evm, destination },
    }),
    await pair.taker.taker.create({
      ...common,
      direction: 'evm-lightning',
      invoice: pair.world.invoice(amount).bolt11,
      evm: { ...evm, destination: null },
    }),
    await pair.taker.taker.create({
      ...common,
      direction: 'evm-bitcoin',
      invoice: null,
      evm: { ...evm, destination: null },
    }),
  ];
  expect(created.filter(isRefusal)).toEqual([]);
  const { userXpub } = createKeys(seedOf(takerSeed), 'regtest');
  records = (await pair.provider.asProvider(userXpub).recover(0))?.swaps as readonly Json[];
});

afterAll(async () => {
  await pair.stop();
  await chain.stop();
});

/** Of the values for one field those that are nearest to the true one, and none at all. */
function few(changes: readonly Mutation[]): readonly Mutation[] {
  return [...new Set(changes.map(({ field }) => field))].flatMap((name) => {
    const all = changes.filter(({ field }) => field === name);
    return [...all.slice(0, 1), ...all.slice(-1)];
  });
}

async function passing(record: Json): Promise<readonly string[]> {
  const changes = few(mutations(record, Object.keys(record), {}));
  pair.tampered.recover = async () => ({
    swaps: changes.map(({ field, value }, place) => ({ ...record, id: `${field}-${place}`, [field]: value })),
    scannedUntil: 199,
    complete: true,
  });
  const { swaps, left_out } = await restored(pair);
  expect([swaps.length + left_out, left_out]).toEqual([changes.length, 0]);
  const passed = swaps.filter(({ outcome }) => outcome === 'reopened' || outcome === 'held');
  return [...new Set(passed.map(({ provider_swap_id }) => (provider_swap_id ?? '').replace(/-\d+$/, '')))].sort();
}

/**
 * What may say anything: where the swap stands is read from the networks, what is claimed goes to wallets of the seed,
 * and a lock of another timelock than the one on the chain is not there.
 */
const free = ['index', 'status'];
const freeOn = {
  'lightning-arkade': ['target_arkade_address'],
  'arkade-lightning': [],
  'bitcoin-arkade': ['btc_funding_confirmations', 'target_arkade_address'],
  'arkade-evm': ['evm_refund_locktime', 'target_evm_address'],
  'evm-bitcoin': ['evm_funding_confirmations', 'evm_refund_locktime', 'gasless'],
  'evm-lightning': ['evm_funding_confirmations', 'evm_refund_locktime', 'gasless', 'lightning_payment_settled'],
} as const;

test.each(Object.entries(freeOn))('%s: a record with any part changed is refused', async (direction, more) => {
  const record = records.find((one) => one['direction'] === wireDirections[direction as keyof typeof freeOn]);
  expect(await passing(record ?? {})).toEqual([...free, ...more].sort());
});

test('what was not locked when it was found again is not locked because a provider says so', () => {
  const swap = pair.taker.store.takerSwaps
    .openIds()
    .map((id) => pair.taker.runtime.workingSet.find(id)?.row)
    .find((row) => row?.machine === 'take-evm-lightning' && (row.terms as OrderTerms).restored === undefined);
  const terms = swap?.terms as TakeEvmLightningTerms;
  const waiting = swap?.progress as TakeEvmLightningProgress;
  const machine = takenEvmLightning.machine(decodeInvoice);
  const now = pair.taker.runtime.clock.now();
  const came: Event = {
    is: 'evm.balance',
    network: terms.chain,
    token: terms.pegged.address,
    account: terms.account,
    amount: 10n ** 18n,
  };
  const fund = (restored: Partial<TakeEvmLightningTerms>) =>
    machine.step({ ...terms, ...restored }, waiting, came, now);
  expect([fund({}) === 'stay', fund({ restored: now.wall })]).toEqual([false, 'stay']);
});
