import type { Preimage } from '../../../domain/hash.ts';
import type { HtlcTerms } from '../../../legs/onchain/htlc.ts';
import type { SeenHtlcCoin } from '../../../legs/onchain/events.ts';
import type { PartialPurpose } from '../../../legs/onchain/key-spend.ts';
import { preimageMatches } from '../../../legs/secret.ts';
import type { Event, EventOf } from '../../machine.ts';

/*
 * An HTLC with an aggregate key is spent by both sides together where all goes well: one of them asks, and the other
 * gives its partial signature. What a partial of ours was given for is closed to us from then on, by every other way.
 * Other forms have no such key, and nothing of theirs is ever signed.
 */

type OfCosign = EventOf<'cosign.asked' | 'cosign.given'>;

/** An event about partial signatures of ours that take a coin to this end; null for any other event. */
export function cosignFor(purpose: PartialPurpose, event: Event): OfCosign | null {
  if (event.is !== 'cosign.asked' && event.is !== 'cosign.given') return null;
  return event.purpose === purpose ? event : null;
}

/** Whether both sides can spend its coin together. */
export function isJoint(terms: HtlcTerms): boolean {
  return terms.form === 'musig';
}

/** The secret that came with a claim, checked once more. */
export function secretOf({ hash }: HtlcTerms, { preimage }: OfCosign): Preimage | null {
  return preimage === null ? null : preimageMatches(hash, preimage);
}

/** By its script, or by the key of both and noted as our claim before it was sent: only we make either. */
export function isOwnClaim({ spend }: SeenHtlcCoin): boolean {
  return spend?.by === 'claim' || (spend?.by === 'key' && spend.purpose === 'claim');
}
