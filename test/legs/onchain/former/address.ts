import { Address, NETWORK, OutScript, TEST_NETWORK } from '@scure/btc-signer';
import type { BitcoinNetwork } from '../../../../engine/domain/chain.ts';

/** Prefixes and versions of addresses (BIP-173, chainparams.cpp): signet has testnet's, regtest its own bech32 prefix. */
export const addressForms = {
  mainnet: NETWORK,
  signet: TEST_NETWORK,
  regtest: { ...TEST_NETWORK, bech32: 'bcrt' },
} as const satisfies Record<BitcoinNetwork, typeof NETWORK>;

/**
 * The output script that an address of this network stands for; null for text that is none, be it of another network.
 * What is paid to a wrong script is lost.
 */
export function scriptOfAddress(address: string, network: BitcoinNetwork): Uint8Array | null {
  try {
    return OutScript.encode(Address(addressForms[network]).decode(address));
  } catch {
    return null; // the library says why only in its own words
  }
}
