import { sats } from '../../engine/domain/money.ts';
import { unix, type Unix } from '../../engine/domain/time.ts';
import type { Ports } from '../../engine/runtime/ports.ts';
import type { Runtime } from '../../engine/runtime/runtime.ts';
import { bitcoinCoin } from '../../engine/quote/coin-price.ts';
import type { GasToCome } from '../../engine/runtime/networks/evm/gas-to-come.ts';
import { createLocksTogether } from '../../engine/runtime/networks/evm/locks-together.ts';
import { noRules, type RulesOf } from '../../engine/runtime/networks/evm/rules.ts';
import type { MinedCoin } from '../../engine/runtime/networks/onchain/judge.ts';
import { createShallow, eachByItself } from '../../engine/runtime/networks/shallow.ts';
import type { AnyMachine } from '../../engine/runtime/working-set.ts';
import type { Store } from '../../engine/store/store.ts';
import type { SwapRow } from '../../engine/store/swaps.ts';
import type { LightningArkadeProgress } from '../../engine/swap/directions/lightning-arkade.ts';
import type { Effect } from '../../engine/swap/machine.ts';
import { lightningArkadeTerms, start } from '../swap/cases.ts';
import { machines, testConfig } from '../support/node.ts';
import { runtimeOf } from '../support/runtime.ts';
import { swapRow } from '../store/support.ts';

export const lightningMachine = machines[0] as AnyMachine;

/** A log that remembers. */
export function memoryLog() {
  const lines: string[] = [];
  const write = (facts: object, text: string): void => void lines.push(JSON.stringify({ ...facts, text }));
  return { lines, log: { info: write, warn: write, error: write } };
}

/** A runtime without any network. */
export function runtimeOn(store: Store, ports: Partial<Ports> = {}, wall: () => Unix = () => start): Runtime {
  return runtimeOf({
    store,
    machines,
    ports: { arkade: null, lightning: null, bitcoin: null, ...ports },
    wall,
    log: memoryLog().log,
    pollMs: 60_000,
    tipMs: 60_000,
    ceilings: () => testConfig().ceilings,
  });
}

export function lightningRow(progress: LightningArkadeProgress, change: Partial<SwapRow> = {}): SwapRow {
  return swapRow({
    terms: lightningArkadeTerms,
    progress,
    status: lightningMachine.status(progress),
    createdAt: unix(start),
    updatedAt: unix(start),
    ...change,
  });
}

export function open(runtime: Runtime, row: SwapRow, effects: readonly Effect[] = []): string {
  // Whatever is past its opening has asked for its invoice.
  runtime.store.intents.note('invoice', row.id, lightningArkadeTerms.vhtlc.hash);
  return runtime.commits.open(row.id, () => ({ row, effects })).row.id;
}

const gasToCome: GasToCome = { beside: () => 0n, add: () => undefined };

/** What an owner lets gas cost on a chain whose coin is bitcoin. */
export const anyGas: RulesOf = () => ({
  confirmations: [2, 4],
  gas: { maxShareBps: 5_000, maxFeeGwei: 0 },
  singleSource: sats(1_000_000),
  price: bitcoinCoin,
  pegged: null,
  standing: null,
});

/** What a claim is judged by, of a node that claims nothing else. */
export const noClaims = {
  ...{ swap: 'a swap', gasToCome, ceilings: () => testConfig().ceilings, evm: noRules },
  shallow: createShallow<MinedCoin>('coin', eachByItself, () => true),
  locks: createLocksTogether(anyGas, { isAtStake: () => true, isInDoubt: () => true }),
};
