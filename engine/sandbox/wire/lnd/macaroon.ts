import { createHmac, timingSafeEqual } from 'node:crypto';

/** Fields of the binary macaroon format, version 2. */
const version = 2;
const field = { end: 0, location: 1, identifier: 2, signature: 6 };

/** A macaroon without caveats, as lnd bakes its admin macaroon. */
export function bakeMacaroon(rootKey: Uint8Array): Uint8Array {
  const identifier = Buffer.from('0', 'utf8');
  const derived = createHmac('sha256', 'macaroons-key-generator').update(rootKey).digest();
  const signature = createHmac('sha256', derived).update(identifier).digest();
  return new Uint8Array([version, ...packet(field.location, Buffer.from('lnd')), ...packet(field.identifier, identifier), field.end, field.end, ...packet(field.signature, signature)]);
}

function packet(kind: number, data: Uint8Array): number[] {
  return [kind, data.length, ...data];
}

/** lnd's words for a bad credential, or null for the right one. */
export function macaroonFault(given: readonly unknown[], expected: Uint8Array): string | null {
  const [first] = given;
  if (given.length !== 1 || typeof first !== 'string') return `expected 1 macaroon, got ${given.length}`;
  const bytes = Buffer.from(first, 'hex');
  if (bytes[0] !== version) return 'cannot determine data format of binary-encoded macaroon';
  const same = bytes.length === expected.length && timingSafeEqual(bytes, expected);
  return same ? null : 'verification failed: signature mismatch after caveat verification';
}
