import { fromBech32, fromOutputScript, toOutputScript } from 'bitcoinjs-lib/src/address';
import { bitcoin, type Network, regtest, testnet } from 'bitcoinjs-lib/src/networks';
import type { BitcoinNetwork } from '../../domain/chain.ts';
import './curve.ts';

/**
 * Prefixes and versions of addresses (BIP-173, chainparams.cpp): signets have testnet's, regtest its own bech32 prefix.
 */
const forms: Readonly<Record<BitcoinNetwork, Network>> = {
  mainnet: bitcoin,
  signet: testnet,
  mutinynet: testnet,
  regtest,
};

/** Witness versions from 2 on mean nothing yet: whoever mines takes what is paid to one. */
const firstLaterVersion = 2;

/**
 * The output script that an address of this network stands for; null for text that is none, be it of another network.
 * What is paid to a wrong script is lost.
 */
export function scriptOfAddress(address: string, network: BitcoinNetwork): Uint8Array | null {
  try {
    return isOfLaterVersion(address, network) ? null : toOutputScript(address, forms[network]);
  } catch {
    return null; // the library says why only in its own words
  }
}

/** The address of an output script; throws where it has none, or one of a witness version that means nothing yet. */
export function addressOfScript(script: Uint8Array, network: BitcoinNetwork): string {
  const [version = 0] = script;
  if (version >= 0x50 + firstLaterVersion && version <= 0x60)
    throw new RangeError('an output of a witness version that means nothing yet');
  return fromOutputScript(script, forms[network]);
}

/** Asked first, for the library writes a warning to the console and takes it. */
function isOfLaterVersion(address: string, network: BitcoinNetwork): boolean {
  return (
    address.toLowerCase().startsWith(`${forms[network].bech32}1`) && fromBech32(address).version >= firstLaterVersion
  );
}
