import type { Ceilings } from '../quote/ceilings.ts';
import { isStorageFailure } from '../store/failure.ts';
import type { Effect } from '../swap/machine.ts';
import type { BundleKeeper } from './bundle.ts';
import { withBriefReads } from './brief-reads.ts';
import type { Core, RunningCore } from './core.ts';
import { createDeadlines } from './deadlines.ts';
import type { EveryAct } from './networks/acts.ts';
import { createContexts } from './networks/create-contexts.ts';
import { createEvmQueue } from './networks/evm/queue.ts';
import type { NameContracts } from './networks/evm/context.ts';
import { noRules, type RulesOf } from './networks/evm/rules.ts';
import { eachByItself, type DepthOfMuch } from './networks/shallow.ts';
import { createFromMemory } from './from-memory.ts';
import { createHandler } from './handler.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { createSignal } from './signal.ts';
import { createTroubles } from './troubles.ts';
import { noUnpaidCosts, type UnpaidCosts } from './unpaid.ts';
import { createUnsaved } from './unsaved.ts';
import { createWatcher } from './watcher.ts';

/** By whose word the runtime acts. */
export interface RuntimeOptions {
  /** How often everything open is looked at without being asked to. */
  readonly pollMs: number;
  readonly ceilings: () => Ceilings;
  /** From where on clients' coins of a few blocks are much together; left out, each goes by itself. */
  readonly depthOfMuch?: () => DepthOfMuch;
  /** What the owner sets for an EVM chain; nothing is sent on one that has no rules. */
  readonly evm?: RulesOf;
  /** What swaps cost that bring no fee; without it nothing is counted. */
  readonly unpaid?: UnpaidCosts;
  /** Has the settings name contracts that were deployed; without it nothing is named. */
  readonly nameContracts?: NameContracts;
  /** What brings open swaps home without the database; nothing is kept where it is left out. */
  readonly bundle?: BundleKeeper;
  /** Why an effect that begins something has to wait, or null; asked at each attempt. */
  readonly holdsBack?: (effect: Effect) => string | null;
  /** So many milliseconds after the start time alone moves no swap; left out, it does at once. */
  readonly looksFirstMs?: number;
  /** What it can do where that is not everything. */
  readonly acts?: EveryAct;
}

export interface Runtime extends Core {
  readonly outbox: Outbox;
  /** Looks once for what became of the coins of a swap that is not watched any more; nothing for one that is. */
  lookLate(id: string): Promise<void>;
  /** The clock of the machine moved: everything that waits for time looks again. */
  wake(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Does what the core's commits decide, and tells it what the networks show. */
export function createRuntime(core: RunningCore, options: RuntimeOptions): Runtime {
  const { clock, workingSet } = core;
  const acting = createActing(core, options);
  const { outbox, watcher, deadlines, brief } = acting;
  follow(core, acting, options.bundle);

  return {
    ...core,
    outbox,
    async lookLate(id) {
      const entry = workingSet.find(id);
      if (entry !== null && !entry.row.open) await watcher.lookLate(entry);
    },
    async wake() {
      await clock.refresh();
      brief.forget();
      deadlines.tick();
      outbox.wake();
    },
    start: () => start(core, acting, options.bundle),
    stop: () => stop(core, acting),
  };
}

type Acting = ReturnType<typeof createActing>;

/** What acts: each by itself from `start` on, and none before. */
function createActing(core: RunningCore, options: RuntimeOptions) {
  const { store, ports, log, clock, wall, commits, workingSet, alerts, wallets, pacing, taken, jointClaims } = core;
  const { evm = noRules, unpaid = noUnpaidCosts, pollMs, bundle, holdsBack, acts, looksFirstMs: restsMs = 0 } = options;
  const fromMemory = createFromMemory({ ports, clock, evm, ceilings: options.ceilings, log, store, workingSet });
  const troubles = createTroubles({ store, workingSet, alerts, log });
  const { onBug } = troubles;
  const unsaved = createUnsaved({ guard: core.guard, alerts, log, fromMemory, onBug });
  const mined = createSignal<void>();
  const evmQueue = createEvmQueue({
    ports,
    store,
    clock,
    log,
    taken,
    unpaid,
    rules: evm,
    everyMs: pollMs,
    onMined: () => mined.tell(),
    alone: wallets.alone,
  });
  const brief = withBriefReads(ports);
  const contextsOf = createContexts({
    store,
    workingSet,
    clock,
    wallets,
    evm,
    unpaid,
    nameContracts: options.nameContracts ?? (async () => null),
    taken,
    jointClaims,
    gasToCome: core.gasToCome,
    unsavedOf: (swap) => fromMemory.sent(swap),
    onSigned: (network) => evmQueue.wake(network),
    ports,
    brief: brief.ports,
    together: commits.together,
    ceilings: options.ceilings,
    depthOfMuch: options.depthOfMuch ?? eachByItself,
  });
  const outbox = createOutbox({
    store,
    log,
    pacing,
    wallets,
    handler: createHandler(core, {
      contextsOf,
      bundle,
      holdsBack,
      acts,
      fromMemory,
    }),
    nowMs: () => wall() * 1_000,
    together: commits.together,
    onParked: (row, reason) => troubles.flag(row.subject, `"${row.effect.do}" was given up: ${reason}`),
    onAlarm: (row, reason) => troubles.flag(row.subject, `"${row.effect.do}" is tried again: ${reason}`),
  });
  mined.on(() => outbox.wake());
  const deadlines = createDeadlines({ commits, clock, everyMs: 1_000, restsMs, onFailure: onBug });
  const watcher = createWatcher({
    ports,
    store,
    evm,
    taken,
    onBug,
    alert: (swap, sentence) => alerts.raise(swap, sentence),
    pollMs,
    wall,
    log,
    // What one look sees of many swaps is saved with one sync.
    deliver(id, event) {
      commits.together(() => commits.deliver(id, event)).catch((cause: unknown) => onBug(id, cause));
    },
  });
  mined.on(() => watcher.onMined());
  return { fromMemory, troubles, unsaved, evmQueue, outbox, deadlines, watcher, brief };
}

/** What a commit or a block of the chain brings about. */
function follow(
  { commits, clock, alerts, guard, pacing, saveFailures, settledNews }: RunningCore,
  { outbox, watcher, deadlines, unsaved, brief }: Acting,
  bundle: BundleKeeper | undefined,
): void {
  saveFailures.on(({ cause, what }) => unsaved.add(cause, what));
  settledNews.on(({ swap, key }) => unsaved.drop(swap, key));
  const distrust = (swap: string, sentence: string): void => {
    try {
      guard.distrust(sentence);
    } catch (cause) {
      if (!isStorageFailure(cause)) throw cause;
      const retry = (): void => distrust(swap, sentence);
      saveFailures.tell({ cause, what: { swap, key: `${swap} distrust`, retry, step: null } });
    }
  };
  commits.onCommit((committed) => {
    const { row } = committed.entry;
    outbox.drop(row.id, committed.dropped);
    bundle?.track(committed.entry);
    outbox.add(committed.effects);
    watcher.track(committed.entry);
    deadlines.track(committed.entry);
    if (committed.flagged !== null) alerts.raise(row.id, committed.flagged);
    // What the owner has answered once is not asked again at the next start.
    if (committed.distrusted && committed.flagged !== null) distrust(row.id, committed.flagged);
    if (!row.open) pacing.forget(row.id);
  });
  clock.onTip(() => {
    brief.forget();
    deadlines.tick();
    outbox.wake();
  });
}

async function start(
  { store, workingSet, clock, pacing, log }: RunningCore,
  { troubles, outbox, watcher, deadlines, evmQueue }: Acting,
  bundle: BundleKeeper | undefined,
): Promise<void> {
  workingSet.load(troubles.unread);
  // The clock first: without it nothing that has a timelock may be decided.
  await clock.first();
  for (const entry of workingSet.all()) {
    bundle?.track(entry);
    watcher.track(entry);
    deadlines.track(entry);
  }
  // Whatever it was given up for may be over: a new start tries everything that is owed.
  unlessFull(() => store.effects.reviveAll(), log);
  const rows = store.effects.owed(troubles.owedUnread);
  for (const row of rows) pacing.recall(row);
  outbox.add(rows);
  outbox.start();
  watcher.start();
  evmQueue.start();
  clock.start();
  deadlines.tick();
  deadlines.start();
}

/** A start waits for no disk: there may be something to claim (facts/faults.md 3). */
function unlessFull(save: () => void, log: RunningCore['log']): void {
  try {
    save();
  } catch (cause) {
    if (!isStorageFailure(cause)) throw cause;
    log.error({ cause: String(cause) }, 'the database cannot be written at the start');
  }
}

async function stop({ waits, clock, commits }: RunningCore, acting: Acting): Promise<void> {
  waits.stop();
  acting.deadlines.stop();
  acting.unsaved.stop();
  await acting.watcher.stop();
  await acting.fromMemory.stop();
  await acting.outbox.stop();
  await acting.evmQueue.stop();
  await clock.stop();
  // Whatever was seen last is saved before the store is closed.
  await commits.together(() => undefined);
}
