const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const letters = Uint8Array.from(alphabet, (letter) => letter.charCodeAt(0));
/** By the code of a letter. Padding counts as zero bits, which are cut off. */
const values = new Uint8Array(128);
for (const [value, letter] of letters.entries()) values[letter] = value;

/** Bytes of padded standard base64 (RFC 4648, section 4); null for anything else. */
export function fromBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3);
  const value = (at: number): number => values[text.charCodeAt(at)] ?? 0;
  for (let i = 0, at = 0; i < text.length; i += 4) {
    const group = (value(i) << 18) | (value(i + 1) << 12) | (value(i + 2) << 6) | value(i + 3);
    bytes[at++] = group >> 16;
    bytes[at++] = group >> 8;
    bytes[at++] = group;
  }
  return bytes.subarray(0, bytes.length - padding);
}

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const group = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    for (let j = 0; j < 4; j++) text += i + j > bytes.length ? '=' : alphabet[(group >> (18 - 6 * j)) & 0x3f];
  }
  return text;
}
