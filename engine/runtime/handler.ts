import type { EvmNetwork } from '../domain/chain.ts';
import type { EffectRow } from '../store/effects.ts';
import { isStorageFailure } from '../store/failure.ts';
import type { Effect } from '../swap/machine.ts';
import { bundled, type BundleKeeper } from './bundle.ts';
import type { Core } from './core.ts';
import { actOf, type EveryAct } from './networks/acts.ts';
import type { createContexts } from './networks/create-contexts.ts';
import { NotYet } from './not-yet.ts';
import type { Handler } from './outbox.ts';
import { queueOf } from './queue.ts';

/** Carries out one effect by its act, and marks it done with what came of it. */
export function createHandler(
  { store, commits, raises }: Pick<Core, 'store' | 'commits' | 'raises'>,
  {
    contextsOf,
    bundle,
    holdsBack,
    acts,
    onSigned,
    onDiskFailed,
  }: {
    readonly contextsOf: ReturnType<typeof createContexts>;
    readonly bundle: BundleKeeper | undefined;
    readonly holdsBack: ((effect: Effect) => string | null) | undefined;
    /** Other acts than all of them. */
    readonly acts: EveryAct | undefined;
    /** A transaction of our account on this chain may wait to be sent. */
    readonly onSigned: (network: EvmNetwork) => void;
    /** It could not be done for want of a disk, and will be tried again. */
    readonly onDiskFailed: (row: EffectRow) => void;
  },
): Handler {
  return async (row, signal) => {
    let answered = false;
    const held = holdsBack?.(row.effect) ?? null;
    if (held !== null) throw new NotYet(5, held);
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
    });
    try {
      await actOf(row.effect, acts).run(row.effect, contexts);
    } catch (cause) {
      if (isStorageFailure(cause)) onDiskFailed(row);
      throw cause;
    }
    if (row.effect.do === 'evm.send') onSigned(row.effect.network);
    if (!answered) store.effects.done(row.id);
  };
}
