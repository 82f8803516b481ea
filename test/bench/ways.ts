import { setTimeout as pause } from 'node:timers/promises';
import { directionNames, type DirectionName } from '../../engine/domain/chain.ts';
import { connections, type Bench } from './bench-node.ts';
import {
  createArkadeEvm,
  createEvmArkade,
  createEvmLightning,
  createLightningEvm,
  openDepositor,
} from './evm-swaps.ts';
import {
  createArkadeBitcoin,
  createBitcoinArkade,
  createBitcoinEvm,
  createBitcoinLightning,
  createEvmBitcoin,
  createLightningBitcoin,
} from './onchain-swaps.ts';
import { createArkade, createLightning, invoices, pooled } from './swaps.ts';

const patienceMs = 150_000;
/** Of an invoice: enough for the fees of the Bitcoin chain. */
const amount = 20_000;

/** A create of each direction; invoices for so many of each that ends on Lightning are made beforehand. */
export type Ways = Readonly<Record<DirectionName, () => Promise<unknown>>>;

export async function waysOf(bench: Bench, creates: number): Promise<Ways> {
  const depositor = await openDepositor(bench, 1);
  const toLightning = directionNames.filter((name) => name.endsWith('-lightning')).length;
  const given = await invoices(bench, toLightning * creates, amount);
  const invoice = () => {
    const next = given.pop();
    if (next === undefined) throw new Error('too few invoices were made');
    return next;
  };
  const ways: Ways = {
    'arkade-lightning': () => createArkade(bench, invoice()),
    'arkade-evm': () => createArkadeEvm(bench, depositor),
    'arkade-bitcoin': () => createArkadeBitcoin(bench),
    'lightning-arkade': () => createLightning(bench),
    'lightning-evm': () => createLightningEvm(bench, depositor),
    'lightning-bitcoin': () => createLightningBitcoin(bench),
    'bitcoin-arkade': () => createBitcoinArkade(bench),
    'bitcoin-lightning': () => createBitcoinLightning(bench, invoice()),
    'bitcoin-evm': () => createBitcoinEvm(bench, depositor),
    'evm-arkade': () => createEvmArkade(bench, depositor),
    'evm-lightning': () => createEvmLightning(bench, invoice(), depositor),
    'evm-bitcoin': () => createEvmBitcoin(bench, depositor),
  };
  await accepted(ways['evm-bitcoin']);
  return ways;
}

/** A node that has just started does not know yet what its chains cost, at the real rhythm for a minute. */
async function accepted(create: () => Promise<unknown>): Promise<void> {
  for (const deadline = Date.now() + patienceMs; ; await pause(1_000)) {
    try {
      await create();
      return;
    } catch (error) {
      if (!String(error).includes(' answered 503') || Date.now() > deadline) throw error;
    }
  }
}

/** So many swaps that wait for their clients, as many of each direction as of any other. */
export async function openEvery(bench: Bench, count: number): Promise<void> {
  if (count === 0) return;
  const ways = await waysOf(bench, Math.ceil(count / directionNames.length));
  const names = Array.from({ length: count }, (_, i) => directionNames[i % directionNames.length] as DirectionName);
  await pooled(names, connections, (name) => ways[name]());
}
