import { fail } from './fault.ts';

/** Items of a stack as numbers: little endian, the sign in the highest bit. */
export function numberOf(bytes: Uint8Array, minimal: boolean, most = 4): number {
  if (bytes.length > most) fail('UNKNOWN_ERROR');
  const last = bytes.at(-1) ?? 0;
  if (minimal && bytes.length > 0 && (last & 0x7f) === 0 && (bytes.length === 1 || ((bytes.at(-2) ?? 0) & 0x80) === 0))
    fail('UNKNOWN_ERROR');
  let value = 0;
  for (const [i, byte] of bytes.entries()) value += (i === bytes.length - 1 ? byte & 0x7f : byte) * 256 ** i;
  return (last & 0x80) === 0 ? value : -value;
}

export function bytesOfNumber(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = Math.abs(value); rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256);
  if ((bytes.at(-1) ?? 0) >= 0x80) bytes.push(0);
  if (value < 0) bytes.push((bytes.pop() ?? 0) | 0x80);
  return Uint8Array.from(bytes);
}

export function isTrue(bytes: Uint8Array): boolean {
  return bytes.some((byte, i) => byte !== 0 && !(i === bytes.length - 1 && byte === 0x80));
}

export function bytesOfBoolean(value: boolean): Uint8Array {
  return value ? Uint8Array.of(1) : new Uint8Array();
}
