import { refuse, type Refusal } from '../../domain/errors.ts';
import { sameBytes, type Sha256 } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import type { SwapStatus } from '../../domain/status.ts';
import type { Unix } from '../../domain/time.ts';
import type { Entry } from '../../runtime/working-set.ts';
import { takenDirections } from '../../taker/directions.ts';
import type { OrderTerms, TakerProgress } from '../../taker/terms.ts';
import type { ServiceContext } from '../context.ts';
import { takenBy } from './view.ts';

/** What waiting states know beside their deal. */
interface Waiting {
  readonly said?: SwapStatus;
  readonly coins?: readonly unknown[];
  readonly signedUntil?: Unix | null;
}

/**
 * Why an invoice may not be paid by one more swap of the owner's; null where nothing was given for it. Whoever pays it learns its preimage,
 * and that takes what every other swap gave for the same invoice: with two of them the owner pays twice, and the payee is paid once.
 */
export function spokenFor(
  { runtime: { store, workingSet } }: Pick<ServiceContext, 'runtime'>,
  hash: Sha256,
  except: string | null = null,
): Refusal | null {
  const search = { beginning: toHex(hash), amount: null };
  for (const { id } of store.takerSwaps.page({
    outcome: null,
    ids: null,
    network: null,
    search,
    before: null,
    limit: 200,
  })) {
    const entry = workingSet.readable(id);
    if (entry === null || id === except || !sameBytes((entry.row.terms as OrderTerms).hash, hash)) continue;
    if (gaveFor(entry))
      return refuse(
        'forbidden',
        `This invoice is paid for by your swap ${id}: whoever pays it could take what a second swap gives for it as well. Wait until that one has ended, or ask the payee for a new invoice.`,
      );
  }
  return null;
}

/** A swap that only shows an address gave nothing yet; one that waits for tokens takes them as soon as they are there. */
function gaveFor({ row }: Entry): boolean {
  const direction = takenBy(row.machine);
  if (direction === null || takenDirections[direction].secret !== 'payee') return false;
  const fromArkade = direction.startsWith('arkade-');
  const progress = row.progress as TakerProgress & Waiting;
  const { outcome } = takenDirections[direction].steps(progress, row.terms as OrderTerms);
  if (outcome !== null) return outcome === 'finished' || outcome === 'lost';
  if (progress.at === 'creating') return !fromArkade;
  if (progress.at !== 'waiting') return true;
  return fromArkade ? progress.coins?.length !== 0 : progress.said === 'pending' || progress.signedUntil !== null;
}
