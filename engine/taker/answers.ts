import { z } from 'zod';
import { CallFailed } from '../contract/client.ts';
import { wasNeverSent } from '../domain/never-sent.ts';
import { cutWords, mostLooked } from '../domain/words.ts';
import { providerFailure } from '../legs/provider/failures.ts';

/* What a provider answers, before any of it is believed. */

/** Statuses with which a provider says no, and means it. Anything else is no answer. */
const refusals: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 409, 413, 415, 422]);
const longestSentence = 300;

/** No amount of anything has more digits: reading millions of them would stop the node for seconds. */
export const mostDigits = 40;
const digits = z.string().regex(new RegExp(`^\\d{1,${mostDigits}}$`));

/** What really moves by a quote; its bare amounts are nobody's payment (facts/clients.md 32). */
export const quoteTerms = z.object({ net_source_amount: digits, net_target_amount: digits });

export type Answered = { readonly value: unknown } | { readonly refused: string; readonly status: number };

/** Tells a refusal, which ends something, from silence, which ends nothing. */
export async function calling(call: () => Promise<unknown>, alsoRefusals: readonly number[]): Promise<Answered> {
  try {
    return { value: await call() };
  } catch (cause) {
    if (!(cause instanceof CallFailed))
      throw providerFailure(
        'provider-away',
        wasNeverSent(cause) ? 'safe' : 'ask-first',
        'the provider does not answer',
        cause,
      );
    if (refusals.has(cause.status) || alsoRefusals.includes(cause.status))
      return { refused: tame(cause.message), status: cause.status };
    throw providerFailure('provider-away', 'ask-first', `the provider answers with status ${cause.status}`, cause);
  }
}

export function understood<S extends z.ZodType>(schema: S, given: unknown): z.infer<S> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw providerFailure(
    'provider-unclear',
    'ask-first',
    'the provider answered with something that the contract does not know',
  );
}

/** A stranger's text, fit to be shown: one line, printable, short. */
export function tame(text: string): string {
  const line = cutWords(text, mostLooked)
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim();
  return line.length > longestSentence ? `${line.slice(0, longestSentence)}...` : line;
}
