import type { Unix } from '../domain/time.ts';
import type { Ceilings } from '../quote/ceilings.ts';
import type { Effect, Event } from '../swap/machine.ts';
import type { EffectRow } from '../store/effects.ts';
import type { Store } from '../store/store.ts';
import { createAlerts, type Alert } from './alerts.ts';
import { inBackground } from './background.ts';
import { bundled, type BundleKeeper } from './bundle.ts';
import { NotYet } from './not-yet.ts';
import { withBriefReads } from './brief-reads.ts';
import { createClock, type Clock } from './clock.ts';
import { createCommits, type Commits } from './commit.ts';
import { createDeadlines } from './deadlines.ts';
import { actOf } from './networks/acts.ts';
import { createContexts } from './networks/create-contexts.ts';
import { createEvmQueue } from './networks/evm/queue.ts';
import { noRules, type RulesOf } from './networks/evm/rules.ts';
import { createSentMemory, type SentMemory } from './networks/sent-memory.ts';
import { createFromMemory } from './from-memory.ts';
import { createGuard, type Guard } from './guard.ts';
import type { Log } from './log.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { createPacing } from './pacing.ts';
import type { Ports } from './ports.ts';
import { createTroubles } from './troubles.ts';
import { noUnpaidCosts, type UnpaidCosts } from './unpaid.ts';
import { createUnsaved } from './unsaved.ts';
import { createWaits, type Waits } from './waits.ts';
import { createWallets, type Wallets } from './wallets.ts';
import { createWatcher } from './watcher.ts';
import { createWorkingSet, type AnyMachine, type WorkingSet } from './working-set.ts';

export interface RuntimeOptions {
  readonly store: Store;
  readonly machines: readonly AnyMachine[];
  readonly ports: Ports;
  readonly wall: () => Unix;
  readonly log: Log;
  /** How often everything open is looked at without being asked to. */
  readonly pollMs: number;
  /** How often the Bitcoin tip is read. */
  readonly tipMs: number;
  readonly ceilings: () => Ceilings;
  /** What the owner sets for an EVM chain; nothing is sent on one that has no rules. */
  readonly evm?: RulesOf;
  /** What swaps cost that bring no fee; without it nothing is counted. */
  readonly unpaid?: UnpaidCosts;
  /** What brings open swaps home without the database; nothing is kept where it is left out. */
  readonly bundle?: BundleKeeper;
  /** Why an effect that begins something has to wait, or null; asked at each attempt. */
  readonly holdsBack?: (effect: Effect) => string | null;
  /** From 0 to 1, for pauses; the machine's own when left out. */
  readonly random?: () => number;
}

export interface Runtime {
  readonly commits: Commits;
  readonly clock: Clock;
  readonly guard: Guard;
  readonly workingSet: WorkingSet;
  readonly outbox: Outbox;
  readonly store: Store;
  readonly ports: Ports;
  /** The state in which the swap satisfies the test; the one it is in when the time is over. */
  settled(id: string, test: (at: string) => boolean, ms: number): Promise<string>;
  found: Waits['found'];
  readonly log: Log;
  /** Runs what nobody waits for; its failure is logged and ends nothing else. */
  background(what: string, work: () => unknown): void;
  /** Tells a person; what was told already is counted (facts/faults.md 50). */
  alert(swap: string | null, sentence: string): void;
  onAlert(listener: (alert: Alert) => void): () => void;
  /** Wallet coins are chosen by one at a time; a renewal holds its wallet while its batch runs. */
  alone: Wallets['alone'];
  /** Subjects whose owner wants what they have on its way to pay more; whatever keeps it there takes the word. */
  readonly raises: Set<string>;
  /** The transactions of ours that a node of their chain took. */
  readonly taken: Pick<SentMemory, 'has' | 'on'>;
  /** Looks once for what became of the coins of a swap that is not watched any more; nothing for one that is. */
  lookLate(id: string): Promise<void>;
  /** The clock of the machine moved: everything that waits for time looks again. */
  wake(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createRuntime(options: RuntimeOptions): Runtime {
  const { store, ports, log } = options;
  const clock = createClock({ wall: options.wall, ports, pollMs: options.tipMs, log });
  const evm = options.evm ?? noRules;
  const unpaid = options.unpaid ?? noUnpaidCosts;
  const workingSet = createWorkingSet(store, options.machines);
  const guard = createGuard(store, options.wall);
  const alerts = createAlerts(options.wall);
  const wallets = createWallets();
  const pacing = createPacing({
    nowMs: () => options.wall() * 1_000,
    random: options.random ?? Math.random,
    firstRepeatMs: (effect) => actOf(effect).firstRepeatMs,
  });
  const raises = new Set<string>();
  const taken = createSentMemory();
  const fromMemory = createFromMemory({ ports, evm, log });
  const troubles = createTroubles({ store, workingSet, alerts, log });
  const unsaved = createUnsaved({ guard, alerts, log, fromMemory, onBug: troubles.onBug });
  const commits = createCommits({
    store,
    workingSet,
    clock,
    pacing,
    log,
    onSaveFailed: unsaved.add,
  });

  const waits = createWaits({ commits, taken });
  const contextsOf = createContexts({
    ports: withBriefReads(ports),
    store,
    clock,
    wallets,
    together: commits.together,
    ceilings: options.ceilings,
    evm,
    unpaid,
    taken,
  });

  function readWaiting(): EffectRow[] {
    return store.effects.waiting(troubles.owedUnread);
  }

  async function handle(row: EffectRow, signal: AbortSignal): Promise<void> {
    let answered = false;
    const held = options.holdsBack?.(row.effect) ?? null;
    if (held !== null) throw new NotYet(5, held);
    if (options.bundle !== undefined) await bundled(options.bundle, row.subject, row.effect);
    const contexts = contextsOf({
      row,
      signal,
      answer(event: Event, along = {}) {
        answered = true;
        commits.deliver(row.subject, event, { ...along, done: row.id });
      },
      raiseAsked: () => raises.delete(row.subject),
    });
    await actOf(row.effect).run(row.effect, contexts);
    if (row.effect.do === 'evm.send') evmQueue.wake(row.effect.network);
    if (!answered) store.effects.done(row.id);
  }

  const outbox: Outbox = createOutbox({
    store,
    handler: handle,
    log,
    nowMs: () => options.wall() * 1_000,
    pacing,
    wallets,
    together: commits.together,
    onParked: (row, reason) => troubles.flag(row.subject, `"${row.effect.do}" was given up: ${reason}`),
    onAlarm: (row, reason) => troubles.flag(row.subject, `"${row.effect.do}" is tried again: ${reason}`),
  });
  const deadlines = createDeadlines({ commits, clock, everyMs: 1_000, onFailure: troubles.onBug });
  const evmQueue = createEvmQueue({
    ports,
    store,
    clock,
    log,
    rules: evm,
    everyMs: options.pollMs,
    onMined: () => outbox.wake(),
    taken,
    alone: wallets.alone,
  });
  const watcher = createWatcher({
    ports,
    store,
    evm,
    taken,
    // What one look sees of many swaps is saved with one sync.
    deliver(id, event) {
      commits.together(() => commits.deliver(id, event)).catch((cause: unknown) => troubles.onBug(id, cause));
    },
    onBug: troubles.onBug,
    pollMs: options.pollMs,
    wall: options.wall,
    log,
  });

  commits.onCommit((committed) => {
    const { row } = committed.entry;
    if (committed.superseded) outbox.supersede(row.id);
    options.bundle?.track(committed.entry);
    outbox.add(committed.effects);
    watcher.track(committed.entry);
    deadlines.track(committed.entry);
    if (committed.flagged !== null) alerts.raise(row.id, committed.flagged);
    // What the owner has answered once is not asked again at the next start.
    if (committed.distrusted && committed.flagged !== null) guard.distrust(committed.flagged);
    if (!row.open) pacing.forget(row.id);
  });
  clock.onTip(() => {
    deadlines.tick();
    outbox.wake();
  });

  return {
    commits,
    clock,
    guard,
    workingSet,
    outbox,
    store,
    ports,
    log,
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
    raises,
    taken,
    async lookLate(id) {
      const entry = workingSet.find(id);
      if (entry !== null && !entry.row.open) await watcher.lookLate(entry);
    },
    async wake() {
      await clock.refresh();
      deadlines.tick();
      outbox.wake();
    },
    async start() {
      workingSet.load(troubles.unread);
      // The clock first: without it nothing that has a timelock may be decided.
      await clock.first();
      for (const entry of workingSet.all()) {
        options.bundle?.track(entry);
        watcher.track(entry);
        deadlines.track(entry);
      }
      // Whatever it was given up for may be over: a new start tries everything that is owed.
      store.effects.reviveAll();
      const rows = readWaiting();
      for (const row of rows) pacing.recall(row);
      outbox.add(rows);
      outbox.start();
      watcher.start();
      evmQueue.start();
      clock.start();
      deadlines.tick();
      deadlines.start();
    },
    async stop() {
      waits.stop();
      deadlines.stop();
      unsaved.stop();
      await watcher.stop();
      await fromMemory.stop();
      await outbox.stop();
      await evmQueue.stop();
      await clock.stop();
      // Whatever was seen last is saved before the store is closed.
      await commits.together(() => undefined);
    },
  };
}
