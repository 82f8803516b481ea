import { isPoint } from 'tiny-secp256k1';
import { refuse, type Refusal } from '../domain/errors.ts';
import type { ClientKey } from '../contract/scalars.ts';

/** A key off the curve could never sign: the leg it guards could only be taken back by the other side. */
export function refuseOffCurve(keys: Readonly<Record<string, ClientKey>>): Refusal | null {
  for (const [name, { key, text }] of Object.entries(keys))
    if (!isPoint(key))
      return refuse(
        'invalid',
        `${name} "${text}" is not a point of the curve secp256k1: send the public key of a private key you hold.`,
      );
  return null;
}
