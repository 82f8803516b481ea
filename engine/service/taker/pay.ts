import type { Acted } from '../../contract/owner/swaps.ts';
import type { Withdrawal, WithdrawRequest } from '../../contract/owner/wallets.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { tokenAmount, type Sats } from '../../domain/money.ts';
import { after, until, type Unix } from '../../domain/time.ts';
import { takenDirections } from '../../taker/directions.ts';
import type { Pay } from '../../taker/facts.ts';
import { factsOfRestored } from '../../taker/restore/restored.ts';
import type { ArkadeLeg, OrderTerms, TakerProgress } from '../../taker/terms.ts';
import type { ServiceContext } from '../context.ts';
import type { BeginAs } from '../owner/job.ts';
import { nextPayment } from './payments.ts';
import { spokenFor } from './spoken-for.ts';
import { takenBy, type OwnWallet } from './view.ts';

/**
 * A withdrawal of the owner's, begun as the job of that id, and only if `still` says nothing against it in the very
 * commit.
 */
export type Withdraw = (
  network: 'arkade' | 'bitcoin',
  request: WithdrawRequest,
  as: BeginAs,
) => Promise<Withdrawal | Refusal>;

type Context = Pick<ServiceContext, 'runtime' | 'networks'> & { readonly withdraw: Withdraw };

/** `outlives`: until when coins on Arkade must live that are paid for it, or its provider refuses them. */
type Due = Pay & { readonly kind: 'arkade' | 'bitcoin'; readonly outlives?: Unix };

/** What the swap waits for, by what is saved of it; null when it waits for nothing that a wallet here could pay. */
function due({ runtime }: Pick<Context, 'runtime'>, id: string): Due | null {
  const entry = runtime.workingSet.readable(id);
  const direction = entry === null ? null : takenBy(entry.row.machine);
  if (entry === null || direction === null || !entry.row.open) return null;
  const now = runtime.clock.now();
  const terms = entry.row.terms as OrderTerms;
  const facts = takenDirections[direction].facts(terms, entry.row.progress as TakerProgress, now);
  const { pay } = factsOfRestored(facts, terms);
  if (pay === null || (pay.until !== null && now.wall > pay.until)) return null;
  if (pay.kind !== 'arkade') return pay.kind === 'bitcoin' ? { ...pay, kind: pay.kind } : null;
  const source = (entry.row.progress as TakerProgress).deal?.source as ArkadeLeg | undefined;
  const outlives = source === undefined ? {} : { outlives: after(source.vhtlc.refundLocktime, terms.policy.margin) };
  return { ...pay, kind: pay.kind, ...outlives };
}

/** What the wallet can pay of it now, in sats. */
function freeFor({ runtime, networks }: Pick<Context, 'runtime' | 'networks'>, { kind, outlives }: Due): Sats {
  if (kind === 'bitcoin') return networks.bitcoinFree();
  return outlives === undefined
    ? networks.arkadeFree()
    : networks.arkadeLockable(until(runtime.clock.now().wall, outlives));
}

/** Whether a wallet of this node can pay it now, or does. */
export function ownWallet(context: Pick<Context, 'runtime' | 'networks'>, id: string): OwnWallet {
  // What was begun goes on, though nothing is asked for any more.
  if (nextPayment(context, id) === null) return 'pays';
  const pay = due(context, id);
  if (pay === null) return 'cannot';
  return context.networks.missing(pay.kind) === null && pay.amount <= freeFor(context, pay) ? 'can' : 'cannot';
}

/** Pays a swap of the owner's own from the node's wallet, once at most. */
export async function payFromWallet(context: Context, id: string): Promise<Acted | Refusal> {
  const { runtime, withdraw } = context;
  const entry = runtime.workingSet.find(id);
  if (entry === null || takenBy(entry.row.machine) === null)
    return refuse('not-found', 'You have no swap with this id.');
  const pay = due(context, id);
  if (pay === null)
    return refuse('forbidden', 'This swap does not wait for a payment that a wallet of this node could make.');
  const job = nextPayment(context, id);
  if (job === null) return refuse('forbidden', paidAlready);
  const rival = (): Refusal | null => spokenFor(context, (entry.row.terms as OrderTerms).hash, id);
  const refused = rival();
  if (refused !== null) return refused;
  const begun = await withdraw(
    pay.kind,
    { address: pay.text, amount: tokenAmount(pay.amount), asset: null },
    {
      id: job,
      ...(pay.outlives === undefined ? {} : { outlives: pay.outlives }),
      still: () =>
        nextPayment(context, id) !== job
          ? refuse('forbidden', paidAlready)
          : due(context, id) === null
            ? refuse('forbidden', 'This swap does not wait for a payment any more: nothing was sent.')
            : rival(),
    },
  );
  return isRefusal(begun) ? begun : { at: runtime.workingSet.find(id)?.row.progress.at ?? entry.row.progress.at };
}

const paidAlready = 'A wallet of this node is paying this swap, or has done so: it is paid once.';
