import { z } from 'zod';

/** Longer than any passphrase that a person types, and short enough to be stretched at once. */
const passphrase = z.string().max(1_024);
const words = z.string().max(2_048);

/** What the page may ask of the setup; anything else is refused unread. */
export const setupRequest = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('state') }),
  z.strictObject({ do: z.literal('choose'), network: z.enum(['sandbox', 'mainnet', 'signet', 'mutinynet']) }),
  z.strictObject({ do: z.literal('make'), words: z.literal([12, 24]) }),
  z.strictObject({ do: z.literal('show'), passphrase: passphrase.optional() }),
  z.strictObject({
    do: z.literal('verify'),
    words: z.array(z.strictObject({ place: z.int().min(1).max(24), word: z.string().max(64) })).max(24),
  }),
  z.strictObject({ do: z.literal('compare'), words, passphrase: passphrase.optional() }),
  z.strictObject({ do: z.literal('restore'), words }),
  z.strictObject({ do: z.literal('forget') }),
  z.strictObject({ do: z.literal('lock'), keychain: z.boolean(), passphrase: passphrase.nullable() }),
  z.strictObject({ do: z.literal('unlock'), passphrase }),
  z.strictObject({ do: z.literal('startAtLogin') }),
  z.strictObject({ do: z.literal('setStartAtLogin'), on: z.boolean() }),
]);
export type SetupRequest = z.output<typeof setupRequest>;
