import { bech32, hex } from '@scure/base';

/** What a payer reads in a BOLT11 invoice before it pays. */
export interface Invoice {
  readonly sats: number;
  readonly hash: string;
  readonly description: string | null;
}

const perBitcoin = { m: 1_000n, u: 1_000_000n, n: 1_000_000_000n, p: 1_000_000_000_000n };

export function readInvoice(bolt11: string): Invoice {
  const { prefix, words } = bech32.decode(bolt11 as `${string}1${string}`, false);
  const [, amount = '', unit] = /^ln(?:bcrt|tb|bc)(\d+)([munp])?$/.exec(prefix) ?? [];
  if (amount === '') throw new Error(`the invoice ${prefix} has no amount`);
  const msat =
    (BigInt(amount) * 100_000_000_000n) / (unit === undefined ? 1n : perBitcoin[unit as keyof typeof perBitcoin]);
  if (msat % 1_000n !== 0n) throw new Error('the invoice asks for parts of a satoshi');
  const fields = taggedFields(words.slice(7, -104));
  const hash = fields.get(1);
  if (hash === undefined) throw new Error('the invoice has no payment hash');
  const text = fields.get(13);
  return {
    sats: Number(msat / 1_000n),
    hash: hex.encode(bytesOf(hash)),
    description: text === undefined ? null : new TextDecoder().decode(bytesOf(text)),
  };
}

function taggedFields(words: readonly number[]): Map<number, number[]> {
  const fields = new Map<number, number[]>();
  for (let at = 0; at + 3 <= words.length;) {
    const [tag = 0, high = 0, low = 0] = words.slice(at, at + 3);
    const length = high * 32 + low;
    fields.set(tag, words.slice(at + 3, at + 3 + length));
    at += 3 + length;
  }
  return fields;
}

/** Whole bytes of a field; bits that are left over are padding. */
function bytesOf(words: readonly number[]): Uint8Array {
  const bits = words.map((word) => word.toString(2).padStart(5, '0')).join('');
  return Uint8Array.from({ length: Math.floor(bits.length / 8) }, (_, i) => parseInt(bits.slice(i * 8, i * 8 + 8), 2));
}
