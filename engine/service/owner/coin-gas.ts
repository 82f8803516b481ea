import { chainIdOf, type EvmNetwork } from '../../domain/chain.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import { nativeCoin, type EvmAddress } from '../../domain/evm.ts';
import { lesser } from '../../domain/money.ts';
import { payCall } from '../../legs/evm/calls.ts';
import { gasOf } from '../../quote/gas.ts';
import { laterCost } from '../../runtime/networks/evm/gas-to-come.ts';
import { priceOf } from '../../runtime/networks/evm/gas.ts';
import { limitOf } from '../../runtime/networks/evm/prepare.ts';
import { evmOf } from '../../runtime/ports.ts';
import type { ServiceContext } from '../context.ts';

/** The gas of a withdrawal of the coin of a chain, which comes out of what is free of that coin. */
export interface CoinGas {
  /** Wei that it costs at the prices of now, and at most: the price may rise until a block has it. */
  readonly now: bigint;
  readonly most: bigint;
  /** Wei that whatever begins something new leaves: the gas of one more claim, and of all that may come. */
  readonly later: bigint;
}

/** The price of a withdrawal may rise so many times. */
const times = 2n;

/**
 * Wei that can be sent beside its gas, of what is free and of what there is; below zero where nothing can. Wrong: gas
 * that claims of open swaps need is sent away.
 */
export function sendableOf(
  { most, later }: CoinGas,
  { free, units }: { readonly free: bigint; readonly units: bigint },
): bigint {
  return lesser(free, units - later) - most;
}

/**
 * What sending some of the coin there would cost now; nothing is signed. Throws a `PortFailure` while the chain does
 * not answer.
 */
export async function coinGasOf(
  { runtime: { ports, gasToCome } }: { readonly runtime: Pick<ServiceContext['runtime'], 'ports' | 'gasToCome'> },
  network: EvmNetwork,
  to: EvmAddress,
): Promise<CoinGas | Refusal> {
  const port = evmOf(ports, network);
  const [fees, tried] = await Promise.all([
    port.gasFees(),
    port.simulate(payCall({ token: nativeCoin, to, amount: 0n })),
  ]);
  if (tried.is === 'reverts')
    return refuse('forbidden', `What stands at address on chain ${chainIdOf(network)} takes no coin: ${tried.reason}.`);
  const price = priceOf(fees);
  const now = limitOf('pay', tried.gas) * price;
  return { now, most: times * now, later: laterCost(gasOf.claim, price) + gasToCome.beside(network, null, price) };
}
