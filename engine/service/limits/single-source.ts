import { chainIdOf, type EvmNetwork } from '../../domain/chain.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import { isTooSilent } from '../../legs/evm/agreement.ts';
import { evmOf } from '../../runtime/ports.ts';
import type { ServiceContext } from '../context.ts';

/**
 * A single RPC's word is taken for so much and no more, and so is that of the others while too many are silent
 * (facts/faults.md 36).
 */
export function aboveSingleSource(
  { runtime, config }: Pick<ServiceContext, 'runtime' | 'config'>,
  network: EvmNetwork,
  value: bigint,
): Refusal | null {
  const chain = config.evm[chainIdOf(network)];
  if (chain === undefined || value <= BigInt(chain.agreeAboveSats)) return null;
  if (chain.rpc.length < 2)
    return refuse(
      'invalid',
      `Max amount is ${chain.agreeAboveSats} sats on this chain; the swap would lock ${value}: ask for less.`,
    );
  return isTooSilent(evmOf(runtime.ports, network).rpcs())
    ? refuse(
        'unavailable',
        `Max amount is ${chain.agreeAboveSats} sats on this chain while a source of it is away; the swap would ` +
          `lock ${value}: ask for less, or try again later.`,
      )
    : null;
}
