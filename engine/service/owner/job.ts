import { randomUUID } from 'node:crypto';
import type { Network } from '../../domain/chain.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import type { Hash160 } from '../../domain/hash.ts';
import { btc, type Sats } from '../../domain/money.ts';
import { isStorageFailure } from '../../store/failure.ts';
import type { Effect } from '../../swap/machine.ts';
import type { AnyMachine } from '../../runtime/working-set.ts';
import type { ServiceContext } from '../context.ts';
import { Refused, used } from '../create.ts';

/** Saves a job with its promise of liquidity, and its hash taken for ever where it has one, in one commit. */
export function openJob(
  context: ServiceContext,
  machine: AnyMachine,
  amount: Sats,
  terms: unknown,
  progress: { at: string },
  effects: readonly Effect[],
  network: Network,
  hash?: Hash160,
): string | Refusal {
  const { runtime } = context;
  const now = runtime.clock.now().wall;
  const id = randomUUID();
  try {
    runtime.commits.open(id, (store) => {
      if (hash !== undefined && !store.hashes.claim(hash, id)) throw new Refused(refuse('hash-used', used.invoice));
      store.reservations.hold(id, btc(network, amount));
      return {
        row: {
          id,
          machine: machine.name,
          createdAt: now,
          updatedAt: now,
          version: 0,
          status: machine.status(progress),
          open: true,
          flag: null,
          userId: null,
          valueSats: amount,
          terms,
          progress,
        },
        effects,
      };
    });
  } catch (cause) {
    if (cause instanceof Refused) return cause.refusal;
    if (isStorageFailure(cause))
      return refuse(
        'unavailable',
        'The database cannot be written now, and nothing is sent before it can: free disk space.',
      );
    throw cause;
  }
  return id;
}
