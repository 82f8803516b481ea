import { z } from 'zod';
import { directionNames, type DirectionName } from '../../domain/chain.ts';
import type { Sats } from '../../domain/money.ts';
import { field, list, optional, request, wrong } from '../field.ts';
import { satsField } from '../scalars.ts';
import { chain, count, sats, words, type JsonValue } from '../wire.ts';

/** POST /owner/terms/preview. */
export interface TermsPreviewRequest {
  /** Proposed, as a change of the settings takes them. */
  readonly terms: Readonly<Record<string, JsonValue>>;
  /** What clients would send, in sats; empty for those that the node chooses. */
  readonly amounts: readonly Sats[];
}

const proposed = { name: 'terms', hint: 'the terms to look at, as PATCH /owner/settings takes them' };
const mostAmounts = 6;

/** Read as it came: whoever judges settings names what is no setting. */
const termsField = field<Record<string, JsonValue>, Record<string, JsonValue>>(
  proposed,
  { type: 'object', additionalProperties: true, description: 'Proposed terms, those that are left out as they are' },
  (given) =>
    typeof given === 'object' && !Array.isArray(given) ? (given as Record<string, JsonValue>) : wrong(proposed, given),
);

export const termsPreviewBody = request(
  {
    terms: termsField,
    amounts_sats: optional(
      list(
        'amounts_sats',
        'what clients would send',
        satsField('amounts_sats', 'what a client would send'),
        1,
        mostAmounts,
      ),
    ),
  },
  ({ terms, amounts_sats }): TermsPreviewRequest => ({ terms, amounts: amounts_sats ?? [] }),
);

const offer = z.object({
  fee_bps: count('The fee, in basis points, without the spread'),
  spread_bps: count('What is added now for what the node holds, in basis points'),
  flat_sats: sats('The flat fee'),
  min_sats: sats('Least that a swap would pay out now'),
  max_sats: sats('Most that a swap would pay out now'),
});

const priced = z.object({
  fee_sats: sats("The node's own fee, its flat part included"),
  network_fee_sats: sats('What transactions and routes cost'),
  payout_sats: sats('What the client would receive, at its worth in bitcoin'),
  refused: words('Why the create would be refused now').nullable(),
});

/** What each pair would quote by proposed terms, beside what it quotes now. */
export const termsPreview = z.object({
  pairs: z.array(
    z.object({
      direction: z
        .enum(directionNames as readonly [DirectionName, ...DirectionName[]])
        .meta({ description: 'Its name, as terms.directions has it' }),
      source: chain,
      target: chain,
      closed: words('Why it is not priced, or refuses every create now').nullable(),
      now: offer,
      then: offer,
      quotes: z
        .array(z.object({ amount_sats: sats('What the client would send'), now: priced, then: priced }))
        .meta({ description: 'Empty where a price that it needs is not known' }),
    }),
  ),
});
export type TermsPreview = z.infer<typeof termsPreview>;
