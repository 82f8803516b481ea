import type { Sha256 } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import type { LightningPort } from '../../../legs/lightning/port.ts';

/** Milliseconds: lnd looks for routes for 60 seconds of these, and a payment is judged before that. */
const mayStart = 120_000;

export interface Begun {
  /** HTLCs that the payment may be sent in. */
  readonly parts: number;
  readonly until: number;
}

/** Payments of ours that were let through a while ago, by their hash: their HTLCs may be in no channel yet. */
const begun = new WeakMap<LightningPort, Map<string, Begun>>();

/** HTLCs that may still come of the payments of other hashes, beside those in the channels, which have `hashes`. */
export function partsToCome(port: LightningPort, hashes: readonly Sha256[], hash: Sha256): number {
  const listed = hashes.map(toHex);
  const own = toHex(hash);
  let sum = 0;
  for (const [key, { parts, until }] of begun.get(port) ?? []) {
    if (performance.now() >= until) begun.get(port)?.delete(key);
    else if (key !== own) sum += Math.max(0, parts - listed.filter((other) => other === key).length);
  }
  return sum;
}

export function noteBegun(port: LightningPort, hash: Sha256, parts: number): void {
  const all = begun.get(port) ?? new Map<string, Begun>();
  begun.set(port, all);
  const key = toHex(hash);
  // An earlier try may be on its way in more.
  all.set(key, { parts: Math.max(parts, all.get(key)?.parts ?? 0), until: performance.now() + mayStart });
}

/**
 * What a payment counts with now. Whoever notes it anew gives it back where that try sent nothing: an earlier one may
 * still be on its way, for its own time and no longer.
 */
export function begunOf(port: LightningPort, hash: Sha256): Begun | null {
  return begun.get(port)?.get(toHex(hash)) ?? null;
}

export function restoreBegun(port: LightningPort, hash: Sha256, earlier: Begun | null): void {
  if (earlier === null) dropBegun(port, hash);
  else begun.get(port)?.set(toHex(hash), earlier);
}

/** It is over, or was never sent: no HTLC of it comes any more. */
export function dropBegun(port: LightningPort, hash: Sha256): void {
  begun.get(port)?.delete(toHex(hash));
}
