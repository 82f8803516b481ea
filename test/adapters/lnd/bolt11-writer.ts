import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bech32 } from '@scure/base';

/** The key of BOLT 11's own examples. */
export const payeeKey = Uint8Array.from(
  Buffer.from('e126f68f7eafcc8b74f54d269fe206be715000f94dac067d1c04a8ca3b2db734', 'hex'),
);

export interface Field {
  readonly tag: number;
  readonly words: readonly number[];
}

/** A tagged field over whole bytes. */
export function bytesField(tag: number, bytes: Uint8Array): Field {
  return { tag, words: bech32.toWords(bytes) };
}

/** A tagged field over a number, in as few words as it needs. */
export function numberField(tag: number, value: number): Field {
  const words: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 32)) words.unshift(rest % 32);
  return { tag, words };
}

/** A private way to the payee, hop by hop. */
export function hintField(...hops: readonly { baseMsat: number; ppm: number; blocks: number }[]): Field {
  const hop = new Uint8Array(51);
  const view = new DataView(hop.buffer);
  const written = hops.flatMap(({ baseMsat, ppm, blocks }) => {
    hop.fill(2, 0, 33);
    hop.set([0, 0, 7, 0, 0, 1, 0, 0], 33);
    view.setUint32(41, baseMsat);
    view.setUint32(45, ppm);
    view.setUint16(49, blocks);
    return [...hop];
  });
  return bytesField(3, Uint8Array.from(written));
}

export const hashField = bytesField(1, new Uint8Array(32).fill(1));
export const secretField = bytesField(16, new Uint8Array(32).fill(2));
export const descriptionField = bytesField(13, new TextEncoder().encode('tea'));

/** Writes and signs any invoice, right or wrong: the checks of a reader are tested with what no library would write. */
export function writeInvoice(
  prefix: string,
  createdAt: number,
  fields: readonly Field[],
  key: Uint8Array = payeeKey,
): string {
  const stamp = Array.from({ length: 7 }, (_, i) => Math.floor(createdAt / 32 ** (6 - i)) % 32);
  const tagged = fields.flatMap(({ tag, words }) => [tag, Math.floor(words.length / 32), words.length % 32, ...words]);
  const words = [...stamp, ...tagged];
  const bits = words.map((word) => word.toString(2).padStart(5, '0')).join('');
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '0');
  const data = Uint8Array.from(padded.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
  const hash = sha256(Uint8Array.from([...new TextEncoder().encode(prefix), ...data]));
  const signed = secp256k1.sign(hash, key, { prehash: false, format: 'recovered' });
  const signature = Uint8Array.from([...signed.subarray(1), signed[0] ?? 0]);
  return bech32.encode(prefix, [...words, ...bech32.toWords(signature)], false);
}
