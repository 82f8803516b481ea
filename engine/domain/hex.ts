const pairs = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));

/**
 * Bytes that are written at a time: joining millions of pairs one by one takes a second, and a block's worth of text
 * must not.
 */
const atOnce = 4_096;
/** The codes of the two digits of each byte, the first in the low half. */
const codes = Uint16Array.from({ length: 512 }, (_, i) => (pairs[i >> 1] ?? '').charCodeAt(i & 1));

/** A list of numbers is what the language asks for, and what a typed array is in this place. */
function fromCodes(digits: Uint16Array): string {
  return Reflect.apply(String.fromCharCode, null, digits) as string;
}

export function toHex(bytes: Uint8Array): string {
  let text = '';
  if (bytes.length <= 64) {
    for (const byte of bytes) text += pairs[byte];
    return text;
  }
  const digits = new Uint16Array(2 * Math.min(atOnce, bytes.length));
  for (let from = 0; from < bytes.length; from += atOnce) {
    const length = Math.min(atOnce, bytes.length - from);
    for (let i = 0; i < length; i++) {
      const at = 2 * (bytes[from + i] ?? 0);
      digits[2 * i] = codes[at] ?? 0;
      digits[2 * i + 1] = codes[at + 1] ?? 0;
    }
    text += fromCodes(digits.subarray(0, 2 * length));
  }
  return text;
}

/** What each character is worth as a digit; 255 for what is none. */
const worth = Uint8Array.from({ length: 128 }, (_, i) => {
  const digit = Number.parseInt(String.fromCharCode(i), 16);
  return Number.isNaN(digit) ? 255 : digit;
});

/** Bytes of plain hex text without a prefix; throws on anything else. */
export function fromHex(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length >> 1);
  let wrong = text.length & 1;
  for (let i = 0; i < bytes.length; i++) {
    const high = worth[text.charCodeAt(2 * i)] ?? 255;
    const low = worth[text.charCodeAt(2 * i + 1)] ?? 255;
    wrong |= (high | low) & 0xf0;
    bytes[i] = (high << 4) | low;
  }
  if (wrong !== 0) throw new RangeError('not hexadecimal text');
  return bytes;
}
