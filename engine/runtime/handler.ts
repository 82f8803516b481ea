import { isStorageFailure } from '../store/failure.ts';
import type { Effect } from '../swap/machine.ts';
import { bundled, type BundleKeeper } from './bundle.ts';
import type { Core } from './core.ts';
import type { FromMemory } from './from-memory.ts';
import { actOf, type EveryAct } from './networks/acts.ts';
import type { createContexts } from './networks/create-contexts.ts';
import { NotYet } from './not-yet.ts';
import type { Handler } from './outbox.ts';
import { queueOf } from './queue.ts';

/** Carries out one effect by its act, and marks it done with what came of it. */
export function createHandler(
  { store, commits, raises, workingSet }: Pick<Core, 'store' | 'commits' | 'raises' | 'workingSet'>,
  {
    contextsOf,
    bundle,
    holdsBack,
    acts,
    fromMemory,
  }: {
    readonly contextsOf: ReturnType<typeof createContexts>;
    readonly bundle: BundleKeeper | undefined;
    readonly holdsBack: ((effect: Effect) => string | null) | undefined;
    /** Other acts than all of them. */
    readonly acts: EveryAct | undefined;
    readonly fromMemory: Pick<FromMemory, 'claimAfter' | 'isOvertaken'>;
  },
): Handler {
  return async (row, signal) => {
    let answered = false;
    const held = holdsBack?.(row.effect) ?? null;
    if (held !== null) throw new NotYet(5, held);
    // Signed now, the swap would go by it for good (facts/faults.md 310).
    if (fromMemory.isOvertaken(row)) throw new NotYet(1, 'its swap goes by another coin, which could not be saved yet');
    if (bundle !== undefined) await bundled(bundle, row.subject, row.effect);
    const contexts = contextsOf({
      row,
      signal,
      answer(event, along = {}) {
        answered = true;
        commits.deliver(row.subject, event, { ...along, done: row.id });
      },
      tell: (event) => commits.deliver(row.subject, event),
      raiseAsked: () => raises.delete(queueOf(row)),
      async bundled() {
        const entry = workingSet.find(row.subject);
        if (bundle === undefined || entry === null) return true;
        bundle.track(entry);
        return bundle.holds(row.subject);
      },
    });
    try {
      await actOf(row.effect, acts).run(row.effect, contexts);
    } catch (cause) {
      if (isStorageFailure(cause)) fromMemory.claimAfter(row);
      throw cause;
    }
    if (!answered) store.effects.done(row.id);
  };
}
