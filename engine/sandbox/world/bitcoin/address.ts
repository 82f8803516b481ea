import { bech32, bech32m, createBase58check } from '@scure/base';
import { createHash } from 'node:crypto';
import { kindOf } from './script-kind.ts';

const prefix = 'bcrt';
const version = { p2pkh: 0x6f, p2sh: 0xc4 };
const base58check = createBase58check((bytes) => new Uint8Array(createHash('sha256').update(bytes).digest()));

/** The output script of a regtest address, or null when it is none. */
export function scriptOf(address: string): Uint8Array | null {
  try {
    return address.toLowerCase().startsWith(`${prefix}1`) ? segwitScript(address) : base58Script(address);
  } catch {
    return null;
  }
}

/** The regtest address that pays to a script, where it has one. */
export function addressOf(script: Uint8Array): string | null {
  switch (kindOf(script)) {
    case 'v0_p2wpkh':
    case 'v0_p2wsh':
      return bech32.encode(prefix, [0, ...bech32.toWords(script.subarray(2))]);
    case 'v1_p2tr':
    case 'anchor':
      return bech32m.encode(prefix, [1, ...bech32m.toWords(script.subarray(2))]);
    case 'p2sh':
      return base58check.encode(Uint8Array.of(version.p2sh, ...script.subarray(2, 22)));
    case 'p2pkh':
      return base58check.encode(Uint8Array.of(version.p2pkh, ...script.subarray(3, 23)));
    default:
      return null;
  }
}

function segwitScript(address: string): Uint8Array | null {
  const spelled = bech32.decodeUnsafe(address) ?? bech32m.decodeUnsafe(address);
  const [witnessVersion, ...words] = spelled?.words ?? [];
  if (spelled?.prefix !== prefix || witnessVersion === undefined || witnessVersion > 16) return null;
  const coding = witnessVersion === 0 ? bech32 : bech32m;
  if (coding.decodeUnsafe(address) === undefined) return null;
  const program = coding.fromWords(words);
  const fits =
    witnessVersion === 0 ? program.length === 20 || program.length === 32 : program.length >= 2 && program.length <= 40;
  return fits ? Uint8Array.of(witnessVersion === 0 ? 0 : 0x50 + witnessVersion, program.length, ...program) : null;
}

function base58Script(address: string): Uint8Array | null {
  const [kind, ...hash] = base58check.decode(address);
  if (hash.length !== 20) return null;
  if (kind === version.p2pkh) return Uint8Array.of(0x76, 0xa9, 20, ...hash, 0x88, 0xac);
  return kind === version.p2sh ? Uint8Array.of(0xa9, 20, ...hash, 0x87) : null;
}
