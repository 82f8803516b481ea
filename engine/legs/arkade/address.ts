import { bech32m } from '@scure/base';
import type { BitcoinNetwork } from '../../domain/chain.ts';
import type { XOnly } from '../../domain/hash.ts';
import { asXOnly } from '../../domain/hash.ts';

/** `ark` on mainnet, `tark` on every other network. */
export type ArkadePrefix = 'ark' | 'tark';

export interface ArkadeAddress {
  readonly prefix: ArkadePrefix;
  /** The operator's signer key: an address is only good with this operator. */
  readonly operator: XOnly;
  readonly outputKey: XOnly;
}

/** An address is 116 characters or so, longer than BIP 173 allows. */
const longest = 1023;

export function arkadePrefix(network: BitcoinNetwork): ArkadePrefix {
  return network === 'mainnet' ? 'ark' : 'tark';
}

/** Bech32m of version byte 0, operator key and output key (facts/arkade.md 10). */
export function encodeArkadeAddress(address: ArkadeAddress): string {
  const payload = new Uint8Array(65);
  payload.set(address.operator, 1);
  payload.set(address.outputKey, 33);
  return bech32m.encode(address.prefix, bech32m.toWords(payload), longest);
}

/** Null for anything but a version 0 Arkade address. */
export function decodeArkadeAddress(text: string): ArkadeAddress | null {
  const decoded = bech32m.decodeUnsafe(text, longest);
  if (!decoded || (decoded.prefix !== 'ark' && decoded.prefix !== 'tark')) return null;
  const payload = bech32m.fromWordsUnsafe(decoded.words);
  if (!payload || payload.length !== 65 || payload[0] !== 0) return null;
  return { prefix: decoded.prefix, operator: asXOnly(payload.slice(1, 33)), outputKey: asXOnly(payload.slice(33)) };
}

/** The output script that an output key stands for: `5120` and the key. */
export function outputScript(outputKey: XOnly): Uint8Array {
  const script = new Uint8Array(34);
  script.set([0x51, 0x20]);
  script.set(outputKey, 2);
  return script;
}
