import { chainIdOf, type EvmNetwork } from '../domain/chain.ts';
import { isRefusal } from '../domain/errors.ts';
import { checksummed } from '../domain/evm-address.ts';
import { samePair, type ContractPair } from '../legs/evm/contracts.ts';
import type { LiveSettings } from './settings.ts';

/**
 * As its owner would: whatever names networks stronger than what is stored is told of, and stays as it is; so does what
 * the owner named since the deployment began (`instead`).
 */
export async function nameContracts(
  settings: Pick<LiveSettings, 'config' | 'change'>,
  network: EvmNetwork,
  pair: ContractPair,
  instead: ContractPair | null,
): Promise<string | null> {
  const id = `${chainIdOf(network)}`;
  const now = settings.config.evm[id]?.contracts;
  if (now !== undefined && samePair(now, pair)) return null;
  if (now !== undefined && instead !== null && !samePair(now, instead))
    return (
      `evm.${id}.contracts names ${checksummed(now.htlc)} and ${checksummed(now.coordinator)} since then, which stay: ` +
      'leave that setting out to swap with the new ones'
    );
  const contracts = { htlc: checksummed(pair.htlc), coordinator: checksummed(pair.coordinator) };
  const changed = await settings.change({ evm: { [id]: { contracts } } });
  return isRefusal(changed) ? changed.sentence : null;
}
