import { PortFailure, refuse, type Refusal } from '../../domain/errors.ts';
import { chainIdOf } from '../../domain/chain.ts';
import type { SignedOn } from '../../legs/evm/digests.ts';
import type { EvmPort } from '../../legs/evm/port.ts';
import { evmOf } from '../../runtime/ports.ts';
import type { Entry } from '../../runtime/working-set.ts';
import type { EvmSourceTerms } from '../../swap/halves/evm/claim/terms.ts';
import { gasOf } from '../../quote/gas.ts';
import type { SwapRow } from '../../store/swaps.ts';
import type { ServiceContext } from '../context.ts';
import { notOfThisSwap } from '../evm/not-of-this-swap.ts';
import { relayTurn } from '../evm/relay-turn.ts';
import type { SwapDeposit } from './swap-deposit.ts';
import type { RelaySigner } from '../evm/unpaid.ts';

export interface Deposited {
  readonly entry: Entry;
  readonly deposit: SwapDeposit;
  readonly port: EvmPort;
}

/** A swap whose client locks on an EVM chain. */
export function depositOf(
  context: ServiceContext,
  id: string,
  operation: 'fund-evm' | 'refund-evm' | 'refund-evm-alone',
): Deposited | Refusal {
  const { workingSet, ports } = context.runtime;
  const entry = workingSet.find(id);
  const deposit = entry === null ? null : (context.directions.of(entry.row.machine)?.deposit(entry.row) ?? null);
  if (entry === null || deposit === null) return notOfThisSwap(context, id, operation);
  try {
    return { entry, deposit, port: evmOf(ports, deposit.terms.network) };
  } catch (cause) {
    return unanswered(cause, deposit.terms);
  }
}

/** A chain that is silent is no reason to fail: it may be asked again. */
export function unanswered(cause: unknown, { network }: Pick<EvmSourceTerms, 'network'>): Refusal {
  if (!(cause instanceof PortFailure)) throw cause;
  return refuse('unavailable', `Chain ${chainIdOf(network)} does not answer now: try again later.`);
}

export function signedOn({ network, contracts }: EvmSourceTerms): SignedOn {
  return { chainId: chainIdOf(network), contracts };
}

/**
 * Whether a relay for the owner or the claimer of a lock may still be paid for today; a swap that ends well pays for
 * its own.
 */
export function turnOf(
  context: ServiceContext,
  row: SwapRow,
  { network }: Pick<EvmSourceTerms, 'network'>,
  { by, isPaid = false }: { readonly by: RelaySigner; readonly isPaid?: boolean },
): Refusal | null {
  const depositIn = (one: SwapRow): SwapDeposit | null => context.directions.of(one.machine)?.deposit(one) ?? null;
  return relayTurn(context, {
    network,
    row,
    by,
    isPaid,
    unitsOf(other) {
      const claim = context.directions.of(other.machine)?.claim(other) ?? null;
      if (claim?.network === network && claim.state.is === 'sending' && !claim.state.isSigned) return gasOf.relayClaim;
      const deposit = depositIn(other);
      if (deposit === null || deposit.terms.network !== network) return null;
      return deposit.funding?.relay?.txid === null || deposit.refund?.txid === null ? gasOf.relayFund : null;
    },
  });
}

/** Waits until what was asked of a swap shows in it; the swap as it is then. */
export async function whenShown(
  { runtime, config, directions }: ServiceContext,
  id: string,
  shown: (deposit: SwapDeposit) => boolean,
): Promise<SwapDeposit | null> {
  const now = (): SwapDeposit | null => {
    const row = runtime.workingSet.find(id)?.row;
    return row === undefined ? null : (directions.of(row.machine)?.deposit(row) ?? null);
  };
  const there = (): true | null => {
    const deposit = now();
    return deposit === null || shown(deposit) ? true : null;
  };
  await runtime.found(id, there, config.timing.createWaitSeconds * 1_000);
  return now();
}
