import type { Creates, Records } from '../../contract/directions/directions.ts';
import type { DirectionName, EvmNetwork } from '../../domain/chain.ts';
import type { Refusal } from '../../domain/errors.ts';
import type { Price } from '../../quote/fees.ts';
import type { AnyMachine } from '../../runtime/working-set.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import type { Machine } from '../../swap/machine.ts';
import type { ViewFacts } from '../../swap/view.ts';
import type { ServiceContext } from '../context.ts';
import type { SwapDeposit } from '../deposit/swap-deposit.ts';
import type { Amendment, Direction, Named, NamedInvoice, SwapClaim, SwapHtlc, SwapVhtlc } from './direction.ts';

/** A direction with its create, which stands on all that the node has, the other directions among it. */
export interface Entry<D extends DirectionName = DirectionName> extends Direction<D> {
  create(context: ServiceContext, request: Creates[D], developer: DeveloperKey | null): Promise<Records[D] | Refusal>;
}

/** Who creates the swaps of a direction; null for one that this build does not have. */
export interface Entries {
  find<D extends DirectionName>(name: D): Entry<D> | null;
}

type Typed<D extends DirectionName, T, P> = Omit<
  Entry<D>,
  'machine' | 'view' | 'vhtlc' | 'htlc' | 'requote' | 'nameInvoice' | 'claim' | 'evm' | 'chainOf' | 'deposit'
> & {
  view(facts: ViewFacts, terms: T, progress: P): Records[D] | null;
  vhtlc(terms: T, progress: P): SwapVhtlc | null;
  /** Left out by directions whose HTLC, if any, has no key of both sides. */
  htlc?(terms: T, progress: P): SwapHtlc | null;
  /** Left out by directions whose terms are never amended, as is `nameInvoice`. */
  requote?(of: Pick<ServiceContext, 'config'>, terms: T, price: Price): Amendment;
  nameInvoice?(of: Pick<ServiceContext, 'config'>, terms: T, named: NamedInvoice): Named;
  /** Left out by directions without one, as is `chainOf`. */
  claim?(terms: T, progress: P): SwapClaim;
  chainOf?(terms: T): EvmNetwork;
  /** Left out by directions whose client locks on none. */
  deposit?(terms: T, progress: P): SwapDeposit;
};

/**
 * A direction by the types of its machine: the store gives back for a machine's name what it kept under it, and nothing
 * else.
 */
export function directionOf<D extends DirectionName, T, P extends { readonly at: string }>(
  machine: Machine<T, P>,
  of: Typed<D, T, P>,
): Entry<D> {
  const { requote, nameInvoice } = of;
  return {
    ...of,
    machine: machine as unknown as AnyMachine,
    view: (facts, row) => of.view(facts, row.terms as T, row.progress as P),
    vhtlc: (row) => of.vhtlc(row.terms as T, row.progress as P),
    htlc: (row) => of.htlc?.(row.terms as T, row.progress as P) ?? null,
    requote: requote === undefined ? null : (context, row, price) => requote(context, row.terms as T, price),
    nameInvoice:
      nameInvoice === undefined ? null : (context, row, named) => nameInvoice(context, row.terms as T, named),
    claim: (row) => of.claim?.(row.terms as T, row.progress as P) ?? null,
    evm: null,
    chainOf: (row) => of.chainOf?.(row.terms as T) ?? null,
    deposit: (row) => of.deposit?.(row.terms as T, row.progress as P) ?? null,
  };
}
