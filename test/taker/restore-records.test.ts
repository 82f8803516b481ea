import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { decodeInvoice } from '../../engine/adapters/lnd/decode.ts';
import { takerDirections, wireDirections, type TakerDirection } from '../../engine/domain/chain.ts';
import type { Event } from '../../engine/swap/machine.ts';
import type { TakeEvmLightningTerms } from './taken.ts';
import type { OrderTerms } from '../../engine/taker/terms.ts';
import { seedOf } from '../support/node.ts';
import { openSwap, stageOf, type Stage } from './by-half.ts';
import { patient, restored } from './lost.ts';
import { mutations, type Json, type Mutation } from './mutations.ts';
import { takerSeed, type Pair } from './pair.ts';
import type { TakeEvmLightningProgress } from './taken.ts';
import { takenEvmLightning } from '../../engine/taker/directions/evm-lightning.ts';

/*
 * Records of a real provider as a recovery answers them, each with every field changed in turn. The taker still has its
 * swaps, so what is found right is held, or opened beside it where nothing but its provider's id tells it apart;
 * everything else must be refused.
 */

let pair: Pair;
let stage: Stage;
let records: readonly Json[];
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

beforeAll(async () => {
  stage = await stageOf(takerDirections, patient.taker);
  pair = stage.pair;
  for (const direction of takerDirections) await openSwap(stage, direction);
  const { userXpub } = createKeys(seedOf(takerSeed), 'regtest');
  records = (await pair.provider.asProvider(userXpub).recover(0))?.swaps as readonly Json[];
});

afterAll(() => stage.stop());

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
 * and a lock of another timelock than the one on the chain is not there. The index of our key is found by the key, or
 * by the hash of its secret.
 */
const free = ['status'];
const freeOn: Readonly<Record<TakerDirection, readonly string[]>> = {
  'lightning-arkade': ['index', 'target_arkade_address'],
  'arkade-lightning': ['index'],
  'bitcoin-arkade': ['btc_funding_confirmations', 'index', 'target_arkade_address'],
  'arkade-evm': ['evm_refund_locktime', 'index', 'target_evm_address'],
  'evm-bitcoin': ['evm_funding_confirmations', 'evm_refund_locktime', 'gasless', 'index'],
  'evm-lightning': [
    'evm_funding_confirmations',
    'evm_refund_locktime',
    'gasless',
    'index',
    'lightning_payment_settled',
  ],
  'lightning-evm': ['evm_refund_locktime', 'index', 'target_evm_address'],
  'evm-arkade': ['evm_funding_confirmations', 'evm_refund_locktime', 'gasless', 'index', 'target_arkade_address'],
  'bitcoin-evm': ['btc_funding_confirmations', 'evm_refund_locktime', 'index', 'target_evm_address'],
  'lightning-bitcoin': ['index'],
  'bitcoin-lightning': ['btc_funding_confirmations', 'index'],
  'arkade-bitcoin': ['index'],
};

test.each(takerDirections)('%s: a record with any part changed is refused', async (direction) => {
  const record = records.find((one) => one['direction'] === wireDirections[direction]);
  expect(await passing(record ?? {})).toEqual([...free, ...freeOn[direction]].sort());
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
