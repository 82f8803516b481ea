import type { Hex } from 'viem';
import { bytesToHex, hexToBytes } from 'viem/utils';
import { asEvmAddress, type EvmAddress } from '../../domain/evm.ts';
import { fromHex } from '../../domain/hex.ts';
import { bridgeChainOf } from '../../legs/evm/bridge.ts';
import { failedOnEvm } from '../../legs/evm/failures.ts';
import type { EvmPort } from '../../legs/evm/port.ts';
import type { BridgePort } from '../../quote/ports.ts';
import { ownBridge } from './contracts.ts';

/** CCTP from one chain by our own adapter contract; null where USDC does not leave from. */
export function createBridge(
  chain: Pick<EvmPort, 'read'>,
  chainId: number,
  fees: BridgePort['fees'],
): BridgePort | null {
  const contract = ownBridge(chainId);
  const from = bridgeChainOf(chainId);
  if (contract === null || from === null) return null;
  const { address, expectations } = contract;

  async function answers(data: Hex): Promise<Hex | null> {
    try {
      return bytesToHex(await chain.read({ to: address, data: hexToBytes(data) }));
    } catch (cause) {
      if (failedOnEvm(cause, 'evm-reverted')) return null;
      throw cause;
    }
  }

  return {
    chainId,
    usdc: usdcOn(from.usdc),
    adapter: address,
    fees,
    async stands() {
      const right = await Promise.all(expectations.map(async ({ data, answer }) => (await answers(data)) === answer));
      return right.every(Boolean);
    },
  };
}

function usdcOn(text: string): EvmAddress {
  return asEvmAddress(fromHex(text.slice(2)));
}
