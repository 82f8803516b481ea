import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readMacaroon } from '../../../adapters/lnd/macaroon.ts';

/** Fields of the binary macaroon format, version 2. */
const version = 2;
const field = { end: 0, location: 1, identifier: 2, signature: 6 };
/** The identifier of lnd's bakery: this byte, then a protobuf of a nonce, the name of the root key and the rights. */
const bakery = 3;
const part = { nonce: 1, rootKey: 2, operation: 3, entity: 1, action: 2 };
const nonceLength = 16;

/** What lnd's `admin.macaroon` may do. */
export const adminRights: readonly string[] = [
  ...['address', 'info', 'invoices', 'message', 'offchain', 'onchain', 'peers'].flatMap((entity) => [
    `${entity}:read`,
    `${entity}:write`,
  ]),
  ...['generate', 'read', 'write'].map((action) => `macaroon:${action}`),
  ...['generate', 'read'].map((action) => `signer:${action}`),
];

/**
 * A macaroon with these rights and no conditions, as lnd bakes it: `entity:action`, or `uri:` and a call's full name.
 */
export function bakeMacaroon(
  rootKey: Uint8Array,
  rights: readonly string[] = adminRights,
  nonce: Uint8Array = randomBytes(nonceLength),
): Uint8Array {
  const identifier = [
    bakery,
    ...message(part.nonce, nonce),
    ...message(part.rootKey, Buffer.from('0')),
    ...rights.flatMap(operation),
  ];
  const derived = createHmac('sha256', 'macaroons-key-generator').update(rootKey).digest();
  const signature = createHmac('sha256', derived).update(Uint8Array.from(identifier)).digest();
  return new Uint8Array([
    version,
    ...packet(field.location, Buffer.from('lnd')),
    ...packet(field.identifier, identifier),
    field.end,
    field.end,
    ...packet(field.signature, signature),
  ]);
}

function operation(right: string): number[] {
  const [entity = '', action = ''] = right.split(/:(.*)/);
  return message(part.operation, [
    ...message(part.entity, Buffer.from(entity)),
    ...message(part.action, Buffer.from(action)),
  ]);
}

function packet(kind: number, data: ArrayLike<number>): number[] {
  return [kind, ...varint(data.length), ...Array.from(data)];
}

/** A field of bytes in a protobuf. */
function message(number: number, data: ArrayLike<number>): number[] {
  return packet(number * 8 + 2, data);
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

/** lnd's words for a bad credential or one that does not allow the call, or null for a good one. */
export function macaroonFault(
  given: readonly unknown[],
  rootKey: Uint8Array,
  call: { name: string; right: string },
): string | null {
  const [first] = given;
  if (given.length !== 1 || typeof first !== 'string') return `expected 1 macaroon, got ${given.length}`;
  const bytes = Buffer.from(first, 'hex');
  const read = readMacaroon(bytes);
  if (read === null) return 'cannot determine data format of binary-encoded macaroon';
  if (!signedBy(rootKey, bytes)) return 'verification failed: signature mismatch after caveat verification';
  return read.rights.some((right) => right === call.right || right === `uri:${call.name}`) ? null : 'permission denied';
}

/** Signed by this root key and without conditions: the sandbox bakes no others. */
function signedBy(rootKey: Uint8Array, macaroon: Buffer): boolean {
  const signed = macaroon.subarray(0, -34);
  const identifier = signed.subarray(signed.indexOf(Buffer.from([bakery, part.nonce * 8 + 2])), -2);
  const derived = createHmac('sha256', 'macaroons-key-generator').update(rootKey).digest();
  return timingSafeEqual(createHmac('sha256', derived).update(identifier).digest(), macaroon.subarray(-32));
}
