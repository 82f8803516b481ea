import { sats } from '../domain/money.ts';
import type { Seconds, Unix } from '../domain/time.ts';
import type { ClockLimits, EvmClockLimits } from '../legs/clock-limits.ts';
import type { Ceilings } from '../quote/ceilings.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { RulesOf } from '../runtime/networks/evm/rules.ts';
import { createWakefulness } from '../runtime/wakefulness.ts';
import type { HighWater } from '../store/high-water.ts';
import type { Restored } from '../store/restored.ts';
import type { EvmAccountRulesOf } from './networks/evm.ts';
import { createBooks, type Books } from './books/books.ts';
import { createConsolidation } from './wallet/consolidation.ts';
import { createExits } from './exits/exits.ts';
import { createForgottenKeys } from './wallet/forgotten-keys.ts';
import { createUnilateralExits, type UnilateralExits } from './exits/unilateral.ts';
import { createNetworks, type Networks } from './networks/networks.ts';
import { createReconciliation } from './reconciliation/reconciliation.ts';
import { createRenewal, type Renewal } from './wallet/renewal.ts';
import { createRounds } from './rounds.ts';
import { createOnchainRecovery, type OnchainRecovery } from './exits/onchain-recovery.ts';
import { createTrimming } from './wallet/trimming.ts';
import type { ContractsOf } from './reconciliation/shown-secrets.ts';
import { unknownActs, type UnknownAct } from './reconciliation/unknown-acts.ts';

/** What the node does by itself, again and again, beside its swaps. */
export interface Upkeep {
  readonly networks: Networks;
  readonly renewal: Renewal;
  readonly onchainRecovery: OnchainRecovery;
  readonly unilateralExits: UnilateralExits;
  readonly books: Pick<Books, 'states' | 'writeOff'>;
  /** Everything open and every network, at once. */
  lookAgain(): Promise<void>;
  /** Wallet coins that are due are renewed, in the background. */
  renewCoins(): void;
  /** The database is older than what happened: what the networks know is compared with it from now on. */
  reconcile(restored: Restored, highWater: HighWater): void;
  /** Whether the networks did what the database does not know; before anything new is begun. */
  compare(): Promise<readonly UnknownAct[]>;
  start(): void;
  stop(): Promise<void>;
}

export function createUpkeep(options: {
  runtime: Runtime;
  /** Milliseconds between two rounds of each. */
  everyMs: Readonly<Record<'networks' | 'renewal' | 'trimming' | 'reconciliation' | 'consolidation' | 'books', number>>;
  clockLimits: () => ClockLimits;
  ceilings: () => Ceilings;
  preconfirmedFor: () => Seconds;
  /** Whether coins of the Bitcoin wallet are joined and split. */
  consolidates: () => boolean;
  /** The nearest that can be told to the clock of the operator. */
  now: () => Unix;
  accounts: EvmAccountRulesOf;
  evmLimits: () => EvmClockLimits;
  contracts: ContractsOf;
  rules: RulesOf;
  /** Other ways of coins to the chain are saved than before. */
  onExitPathsChanged: () => void;
}): Upkeep {
  const { runtime, everyMs } = options;
  const { log } = runtime;
  const onchainRecovery = createOnchainRecovery({ runtime, log });
  const networks = createNetworks({
    runtime,
    onchainRecovery,
    everyMs: everyMs.networks,
    limits: options.clockLimits,
    accounts: options.accounts,
    evmLimits: options.evmLimits,
  });
  const exits = createExits({ runtime, onChanged: options.onExitPathsChanged });
  const unilateralExits = createUnilateralExits({ runtime, networks: () => networks, ceilings: options.ceilings });
  const renewal = createRenewal({
    runtime,
    now: options.now,
    ceilings: options.ceilings,
    preconfirmedFor: options.preconfirmedFor,
    everyMs: everyMs.renewal,
    log,
    onRenewed: () => runtime.background('reading the networks', () => networks.refresh()),
  });
  const reconciliation = createReconciliation({ ...options, everyMs: everyMs.reconciliation, log });
  const forgottenKeys = createForgottenKeys({ runtime, everyMs: everyMs.reconciliation, log });
  const consolidation = createConsolidation({
    runtime,
    rate: () => networks.bitcoinRate(),
    rules: () => ({ enabled: options.consolidates(), perDay: sats(options.ceilings().consolidationPerDaySats) }),
    everyMs: everyMs.consolidation,
  });
  const books = createBooks({ runtime, networks: () => networks, everyMs: everyMs.books });
  const trimming = createTrimming({ runtime, everyMs: everyMs.trimming, log });
  const exitPaths = createRounds(runtime, {
    name: 'looking at the ways to the chain',
    everyMs: everyMs.networks,
    round: lookAtExits,
  });
  const lookAgain = (): Promise<void> => runtime.wake().then(() => networks.refresh());
  const wakefulness = createWakefulness({ guard: runtime.guard, log, lookAgain });

  /** What brings coins to the chain, and whether they must go there. */
  async function lookAtExits(): Promise<void> {
    await exits
      .look()
      .catch((cause: unknown) =>
        log.info({ cause: String(cause) }, 'the ways of coins to the chain could not be read'),
      );
    await unilateralExits.look();
  }

  return {
    networks,
    renewal,
    onchainRecovery,
    unilateralExits,
    books,
    lookAgain,
    renewCoins: renewal.soon,
    reconcile(restored, highWater) {
      reconciliation.begin(restored, highWater);
      forgottenKeys.begin();
    },
    compare: () => unknownActs(runtime),
    start() {
      networks.start();
      exitPaths.start();
      renewal.start();
      reconciliation.start();
      forgottenKeys.start();
      trimming.start();
      consolidation.start();
      books.start();
      wakefulness.start();
    },
    async stop() {
      wakefulness.stop();
      await books.stop();
      await consolidation.stop();
      await trimming.stop();
      await forgottenKeys.stop();
      await reconciliation.stop();
      await renewal.stop();
      await exitPaths.stop();
      await networks.stop();
    },
  };
}
