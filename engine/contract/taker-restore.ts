import { z } from 'zod';
import { takerDirections } from '../domain/chain.ts';
import {
  restoreDoubts,
  restoreOutcomes,
  restoreProviderStates,
  restoreReasons,
  restoreStates,
} from '../domain/taker.ts';
import { count, unixTime, words } from './wire.ts';

/** Finding swaps of the owner's own again from the seed: how far it is, and what became of each record. */
export const takerRestore = z.object({
  state: z.enum(restoreStates).meta({ description: 'Whether providers are being asked' }),
  started: unixTime('When it began').nullable(),
  ended: unixTime('When it was over').nullable(),
  providers: z
    .array(
      z.object({
        provider_url: words('Base URL of the provider; empty for this node'),
        state: z.enum(restoreProviderStates).meta({ description: 'How far it was asked' }),
      }),
    )
    .meta({ description: 'Each that is asked' }),
  counts: z
    .object({
      reopened: count('That go on here now'),
      held: count('That were here already'),
      over: count('In which nothing of ours is any more'),
      refused: count('With which nothing is done'),
      later: count('That could not be judged yet'),
    })
    .meta({ id: 'TakerRestoreCounts', description: 'How many records became what' }),
  swaps: z
    .array(
      z
        .object({
          provider_url: words('Base URL of the provider; empty for this node'),
          provider_swap_id: words('Id of the swap at its provider').nullable(),
          direction: z.enum(takerDirections).nullable().meta({ description: 'Which way' }),
          id: words('Id of the swap at this node; null where it has none').nullable(),
          outcome: z.enum(restoreOutcomes).meta({ description: 'What became of the record' }),
          reason: z.enum(restoreReasons).nullable().meta({ description: 'Why it was not reopened' }),
          detail: words('That reason in the words of whoever gave it').nullable(),
          unproven: z
            .array(z.enum(restoreDoubts))
            .meta({ description: 'Parts of a reopened swap that only its provider states' }),
        })
        .meta({ id: 'TakerRestored', description: 'A record of a provider' }),
    )
    .meta({ description: 'Each record, the first of them' }),
  left_out: count('Records that are counted and not listed'),
  all_found: z
    .literal(false)
    .meta({ description: 'Never known: a provider that names no swap, or fewer than there are, may hide one' }),
});
export type TakerRestore = z.infer<typeof takerRestore>;
export type TakerRestored = TakerRestore['swaps'][number];
