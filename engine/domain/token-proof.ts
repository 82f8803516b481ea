import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { toHex } from './hex.ts';

/**
 * What only who has the owner's token can say to a nonce, in hexadecimal. It says nothing of the token, and holds for
 * one origin alone: a stranger at an old address of the node cannot hand on what the node answers at its new one.
 */
export function tokenProof(token: string, nonce: string, origin: string): string {
  return toHex(hmac(sha256, utf8ToBytes(token), utf8ToBytes(`sluice ${nonce} ${origin}`)));
}
