import type { EvmCall, Simulation } from '../../legs/evm/port.ts';
import { callOf, type Connection } from './call.ts';
import { revertOf } from './revert.ts';
import { RpcError, asQuantity } from './rpc.ts';
import type { Source } from './source.ts';

/** Units of gas that are believed of any estimate, and how many times more than the lowest of dearer ones. */
const usualGas = 1_600_000n;
const mostTimes = 2n;

/** What is estimated was carried out, on the state that is named: where that passes, a call would say the same. */
async function estimated(own: Connection, source: Source, call: EvmCall): Promise<bigint | null> {
  const { sources } = own;
  try {
    return asQuantity(await sources.ask(source, 'eth_estimateGas', callOf(own, call), 'latest'), 'an estimate of gas');
  } catch (cause) {
    if (cause instanceof RpcError && !cause.isBusy) return null;
    throw cause;
  }
}

/** Not every node says why it estimates nothing, and some take no state for it: a call tells. */
export async function simulateBy(own: Connection, source: Source, call: EvmCall): Promise<Simulation> {
  const { sources } = own;
  const estimate = await estimated(own, source, call);
  if (estimate !== null) return { is: 'passes', gas: estimate };
  try {
    await sources.ask(source, 'eth_call', callOf(own, call), 'latest');
    const gas = asQuantity(await sources.ask(source, 'eth_estimateGas', callOf(own, call)), 'an estimate of gas');
    return { is: 'passes', gas };
  } catch (cause) {
    const reverted = cause instanceof RpcError ? revertOf(cause) : null;
    if (reverted === null) throw cause;
    return { is: 'reverts', ...reverted };
  }
}

/**
 * The highest of some estimates that is none of a liar's: with too little gas a transaction is refused or fails, with
 * far too much nothing is left to pay for a unit of it. What is not used costs nothing (facts/faults.md 85).
 */
export function estimateOf(estimates: readonly bigint[]): bigint {
  const sorted = estimates.toSorted((a, b) => (a < b ? -1 : 1));
  const [lowest = 0n] = sorted;
  const most = mostTimes * lowest < usualGas ? usualGas : mostTimes * lowest;
  return sorted.findLast((gas) => gas <= most) ?? lowest;
}
