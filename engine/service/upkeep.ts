import type { Seconds, Unix } from '../domain/time.ts';
import type { ClockLimits, EvmClockLimits } from '../legs/clock-limits.ts';
import type { Ceilings } from '../quote/ceilings.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { createWakefulness } from '../runtime/wakefulness.ts';
import type { HighWater } from '../store/high-water.ts';
import type { Restored } from '../store/restored.ts';
import type { EvmAccountRulesOf } from './networks/evm.ts';
import { createNetworks, type Networks } from './networks/networks.ts';
import { createReconciliation } from './reconciliation.ts';
import { createReduction } from './reduction.ts';
import { createRenewal, type Renewal } from './renewal.ts';
import { createStranded, type Stranded } from './stranded.ts';

/** What the node does by itself, again and again, beside its swaps. */
export interface Upkeep {
  readonly networks: Networks;
  readonly renewal: Renewal;
  readonly stranded: Stranded;
  /** Everything open and every network, at once. */
  lookAgain(): Promise<void>;
  /** Wallet coins that are due are renewed, in the background. */
  renewCoins(): void;
  /** The database is older than what happened: what the networks know is compared with it from now on. */
  reconcile(restored: Restored, highWater: HighWater): void;
  start(): void;
  stop(): Promise<void>;
}

export function createUpkeep(options: {
  runtime: Runtime;
  /** Milliseconds between two rounds of each. */
  everyMs: Readonly<Record<'networks' | 'renewal' | 'reduction' | 'reconciliation', number>>;
  clockLimits: () => ClockLimits;
  ceilings: () => Ceilings;
  preconfirmedFor: () => Seconds;
  /** The nearest that can be told to the clock of the operator. */
  now: () => Unix;
  accounts: EvmAccountRulesOf;
  evmLimits: () => EvmClockLimits;
}): Upkeep {
  const { runtime, everyMs } = options;
  const { log } = runtime;
  const stranded = createStranded({ runtime, log });
  const networks = createNetworks({
    runtime,
    stranded,
    everyMs: everyMs.networks,
    limits: options.clockLimits,
    accounts: options.accounts,
    evmLimits: options.evmLimits,
  });
  const renewal = createRenewal({
    runtime,
    now: options.now,
    ceilings: options.ceilings,
    preconfirmedFor: options.preconfirmedFor,
    everyMs: everyMs.renewal,
    log,
    onRenewed: () => runtime.background('reading the networks', () => networks.refresh()),
  });
  const reconciliation = createReconciliation({ runtime, everyMs: everyMs.reconciliation, log });
  const reduction = createReduction({ runtime, everyMs: everyMs.reduction, log });
  const wakefulness = createWakefulness({ guard: runtime.guard, log, lookAgain });

  async function lookAgain(): Promise<void> {
    await runtime.wake();
    await networks.refresh();
  }

  return {
    networks,
    renewal,
    stranded,
    lookAgain,
    renewCoins: () => runtime.background('renewing wallet coins', () => renewal.check()),
    reconcile: (restored, highWater) => reconciliation.begin(restored, highWater),
    start() {
      networks.start();
      renewal.start();
      reconciliation.start();
      reduction.start();
      wakefulness.start();
    },
    async stop() {
      wakefulness.stop();
      await reduction.stop();
      await reconciliation.stop();
      await renewal.stop();
      await networks.stop();
    },
  };
}
