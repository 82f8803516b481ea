import type { EvmNetwork } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import type { Sats } from '../../domain/money.ts';
import type { TakenDirection } from '../direction.ts';
import type { OrderTerms, TakerProgress } from '../terms.ts';
import { clocksAt, type Restoring } from './restoring.ts';
import { signedUntil } from './signed-until.ts';

/** A swap that can go on: every part of its record was derived again, and nothing is believed of where it stands. */
export interface Reopened {
  readonly terms: OrderTerms;
  readonly progress: TakerProgress;
  readonly value: Sats;
}

function chainOf(terms: OrderTerms & { readonly chain?: EvmNetwork }): EvmNetwork | null {
  return terms.chain ?? null;
}

/**
 * Judges a record by the very code that judged it at its create, and opens the swap anew in the state after it:
 * whatever was paid, locked or claimed since, the networks show.
 */
export async function reopen(
  direction: TakenDirection,
  given: unknown,
  from: Restoring,
  since: number,
): Promise<Reopened | Refusal> {
  const built = await direction.restorable.recovered(given, from);
  if (isRefusal(built)) return built;
  const { terms, record, value } = built;
  const { createBefore: created, policy } = terms;
  const outcome = direction
    .machine(from.decodeInvoice)
    .step(
      terms,
      { at: 'creating' },
      { is: 'provider.created', record },
      clocksAt(created, policy, { bitcoin: since, evm: chainOf(terms) }),
    );
  if (outcome === 'stay') throw new Error('a record was neither taken nor refused');
  const { progress } = outcome;
  if (progress.at === 'refused') return refuse('forbidden', progress.detail ?? '');
  // A signature of ours may still be about, by which our tokens can be locked.
  const until = progress.deal === undefined ? null : signedUntil(progress.deal);
  return {
    terms,
    value,
    progress: until === null ? progress : ({ ...progress, signedUntil: until } as TakerProgress),
  };
}
