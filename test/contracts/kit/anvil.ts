import { type Anvil, startAnvil as start } from '../../../engine/sandbox/world/evm/anvil.ts';

/**
 * A chain of its own that mines each transaction at once, on a free port of this machine. Gas costs `gasPrice` wei at
 * least.
 */
export function startAnvil(chainId: number, gasPrice: number): Promise<Anvil> {
  const gas = ['--base-fee', `${gasPrice}`, '--gas-price', `${gasPrice}`];
  return start(['--hardfork', 'cancun', ...gas, '--chain-id', `${chainId}`]);
}
