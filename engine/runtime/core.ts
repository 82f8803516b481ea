import type { Unix } from '../domain/time.ts';
import { isStorageFailure } from '../store/failure.ts';
import type { Store } from '../store/store.ts';
import { createAlerts, type Alert, type Alerts } from './alerts.ts';
import { inBackground } from './background.ts';
import { createClock, type Clock } from './clock.ts';
import { createCommits, type Commits } from './commit.ts';
import type { Unsaved } from './disk-trial.ts';
import { createGuard, type Guard } from './guard.ts';
import type { Log } from './log.ts';
import { actOf } from './networks/acts.ts';
import { createGasToCome, type GasToCome } from './networks/evm/gas-to-come.ts';
import { createJointClaims, type JointClaims } from './networks/onchain/joint-claims.ts';
import { createSentMemory, type SentMemory } from './networks/sent-memory.ts';
import { createPacing, type Pacing } from './pacing.ts';
import type { Ports } from './ports.ts';
import { createSignal, type Signal } from './signal.ts';
import { createWaits, type Waits } from './waits.ts';
import { createWallets, type Wallets } from './wallets.ts';
import { createWorkingSet, type AnyMachine, type WorkingSet } from './working-set.ts';

const tellFailure = 'a part of the node failed when it was told of a swap';
const tellFailureOfSwap =
  'After an internal error a part of this node missed a change of this swap: look at the log, then start ' +
  'the node again.';

export interface CoreOptions {
  readonly store: Store;
  readonly machines: readonly AnyMachine[];
  readonly ports: Ports;
  readonly wall: () => Unix;
  readonly log: Log;
  /** How often the Bitcoin tip is read. */
  readonly tipMs: number;
  /** From 0 to 1, for pauses; the machine's own when left out. */
  readonly random?: () => number;
}

/** What is known and decided, without what acts on it: services stand on this, and the runtime acts by their word. */
export interface Core {
  readonly commits: Commits;
  readonly clock: Clock;
  readonly guard: Guard;
  readonly workingSet: WorkingSet;
  readonly store: Store;
  readonly ports: Ports;
  readonly log: Log;
  /** The state in which the swap satisfies the test; the one it is in when the time is over. */
  settled(id: string, test: (at: string) => boolean, ms: number): Promise<string>;
  readonly found: Waits['found'];
  /** Runs what nobody waits for; its failure is logged and ends nothing else. */
  background(what: string, work: () => unknown): void;
  /** Tells a person; what was told already is counted (facts/faults.md 50). */
  alert(swap: string | null, sentence: string): void;
  onAlert(listener: (alert: Alert) => void): () => void;
  /** Wallet coins are chosen by one at a time; a renewal holds its wallet while its batch runs. */
  readonly alone: Wallets['alone'];
  /** Queues of whose swaps the owner wants what is on its way to pay more; whatever keeps it there takes the word. */
  readonly raises: Set<string>;
  /** The transactions of ours that a node of their chain took. */
  readonly taken: Pick<SentMemory, 'has' | 'on'>;
  /** Claims that a client is asked to sign with us. */
  readonly jointClaims: JointClaims;
  /** What is kept in the accounts on EVM chains for claims and refunds. */
  readonly gasToCome: GasToCome;
}

/** The same as the runtime takes it. */
export interface RunningCore extends Core {
  readonly wall: () => Unix;
  readonly alerts: Alerts;
  readonly wallets: Wallets;
  readonly pacing: Pacing;
  readonly waits: Waits;
  readonly taken: SentMemory;
  /** Commits that could not be saved. */
  readonly saveFailures: Signal<{ readonly cause: unknown; readonly what: Unsaved }>;
  /** News that were saved or say nothing new. */
  readonly settledNews: Signal<Pick<Unsaved, 'swap' | 'key'>>;
}

export function createCore(options: CoreOptions): RunningCore {
  const { store, ports, wall, log } = options;
  const clock = createClock({ wall, ports, pollMs: options.tipMs, log });
  const workingSet = createWorkingSet(store, options.machines);
  const guard = createGuard(store, wall);
  const alerts = createAlerts(wall);
  const wallets = createWallets();
  const pacing = createPacing({
    nowMs: () => wall() * 1_000,
    random: options.random ?? Math.random,
    firstRepeatMs: (effect) => actOf(effect).firstRepeatMs,
  });
  const taken = createSentMemory();
  const jointClaims = createJointClaims();
  const saveFailures: RunningCore['saveFailures'] = createSignal();
  const settledNews: RunningCore['settledNews'] = createSignal();
  const commits = createCommits({
    store,
    workingSet,
    clock,
    pacing,
    log,
    onSaveFailed: (cause, what) => saveFailures.tell({ cause, what }),
    onSettled: (swap, key) => settledNews.tell({ swap, key }),
    onTellFailed(swap, cause) {
      log.error({ swap, cause: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) }, tellFailure);
      // Of a disk that fails everybody is told by what cannot be saved.
      if (!isStorageFailure(cause)) alerts.raise(swap, tellFailureOfSwap);
    },
  });
  const waits = createWaits({ commits, taken });

  return {
    store,
    ports,
    wall,
    log,
    clock,
    workingSet,
    guard,
    alerts,
    wallets,
    pacing,
    taken,
    jointClaims,
    gasToCome: createGasToCome({ workingSet, store }),
    saveFailures,
    settledNews,
    commits,
    waits,
    async settled(id, test, ms) {
      let at = '';
      const reached = (): string | null => {
        at = workingSet.find(id)?.row.progress.at ?? '';
        return test(at) ? at : null;
      };
      return (await waits.found(id, reached, ms)) ?? at;
    },
    found: waits.found,
    background: (what, work) => inBackground(log, what, work),
    alert: (swap, sentence) => alerts.raise(swap, sentence),
    onAlert: (listener) => alerts.on(listener),
    alone: wallets.alone,
    raises: new Set<string>(),
  };
}
