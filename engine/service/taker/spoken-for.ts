import { refuse, type Refusal } from '../../domain/errors.ts';
import { sameBytes, type Sha256 } from '../../domain/hash.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import type { SwapStatus } from '../../domain/status.ts';
import type { Unix } from '../../domain/time.ts';
import type { Entry } from '../../runtime/working-set.ts';
import { lightningWithdrawal } from '../../swap/jobs/withdrawal.ts';
import { takenDirections } from '../../taker/directions.ts';
import type { EvmFundTerms } from '../../taker/halves/evm/fund/terms.ts';
import type { OrderTerms, TakerProgress } from '../../taker/terms.ts';
import type { ServiceContext } from '../context.ts';
import { nextPayment } from './payments.ts';
import { swapsOfHash } from './swaps-of-hash.ts';
import { takenBy } from './view.ts';

/** What waiting states know beside their deal. */
interface Waiting {
  readonly said?: SwapStatus;
  readonly coins?: readonly unknown[];
  readonly signedUntil?: Unix | null;
  /** Its lock on an EVM chain, whatever became of it. */
  readonly made?: unknown;
}

/**
 * Why an invoice may not be paid by a swap of the owner's; null where nothing was given for it, by another swap or from
 * the Lightning wallet. Whoever pays it learns its preimage, and that takes what every other swap gave for the same
 * invoice: the owner pays twice, and the payee is paid once (facts/faults.md 92).
 */
export function spokenFor(
  context: Pick<ServiceContext, 'runtime'>,
  hash: Sha256,
  except: string | null = null,
): Refusal | null {
  return swapPays(context, hash, except) ?? walletPays(context, hash);
}

/** Why the Lightning wallet may not pay an invoice: a swap of the owner's gave for it. */
export function swapPays(
  context: Pick<ServiceContext, 'runtime'>,
  hash: Sha256,
  except: string | null = null,
): Refusal | null {
  for (const entry of swapsOfHash(context, hash)) {
    const { id } = entry.row;
    if (id === except) continue;
    if (gaveFor(context, entry))
      return refuse(
        'forbidden',
        `Your swap ${id} pays this invoice already, and a second swap for it could lose what it gives. Wait until ` +
          'that swap has ended, or ask the payee for a new invoice.',
      );
  }
  return null;
}

/**
 * Why an invoice cannot be ordered once more from an EVM chain: Permit2 takes the tokens of an account once for a hash,
 * and did so for a lock that came back (facts/faults.md 300).
 */
export function lockedBefore(context: Pick<ServiceContext, 'runtime'>, order: OrderTerms): Refusal | null {
  const { chain, account } = order as Partial<EvmFundTerms>;
  if (chain === undefined || account === undefined) return null;
  for (const { row } of swapsOfHash(context, order.hash)) {
    if (takenBy(row.machine)?.startsWith('evm-') !== true) continue;
    const terms = row.terms as EvmFundTerms;
    const { made = null } = row.progress as Waiting;
    if (made !== null && terms.chain === chain && sameBytes(terms.account, account))
      return refuse(
        'forbidden',
        `Your swap ${row.id} has locked tokens for this invoice already, and the same account cannot lock any for it ` +
          'again on that chain: ask the payee for a new invoice.',
      );
  }
  return null;
}

function walletPays({ runtime: { store } }: Pick<ServiceContext, 'runtime'>, hash: Sha256): Refusal | null {
  const payment = store.hashes.usedBy(hash160OfSha256(hash));
  const head = payment === null ? null : store.swaps.head(payment);
  return head?.machine === lightningWithdrawal.name && head.at !== 'failed'
    ? refuse(
        'forbidden',
        'Your Lightning wallet pays this invoice already, and a swap for it could lose what it gives. Ask the payee ' +
          'for a new invoice.',
      )
    : null;
}

/**
 * A swap that only shows an address gave nothing yet, unless a wallet of this node is paying it; one that waits for
 * tokens takes them as soon as they are there.
 */
function gaveFor(context: Pick<ServiceContext, 'runtime'>, { row }: Entry): boolean {
  const direction = takenBy(row.machine);
  if (direction === null || takenDirections[direction].secret !== 'payee') return false;
  const fromArkade = direction.startsWith('arkade-');
  const progress = row.progress as TakerProgress & Waiting;
  const { outcome } = takenDirections[direction].steps(progress, row.terms as OrderTerms);
  // A payment of the wallet's has no end of its own: it may go out after its swap was given up.
  if (outcome === 'unpaid') return nextPayment(context, row.id) === null;
  if (outcome !== null) return outcome === 'finished' || outcome === 'lost';
  if (progress.at === 'creating') return !fromArkade;
  if (progress.at !== 'waiting') return true;
  if (nextPayment(context, row.id) === null) return true;
  return fromArkade ? progress.coins?.length !== 0 : progress.said === 'pending' || progress.signedUntil !== null;
}
