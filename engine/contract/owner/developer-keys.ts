import { z } from 'zod';
import { request } from '../field.ts';
import { integerField, text } from '../scalars.ts';
import { count, words } from '../wire.ts';

export const developerKeys = z.object({
  keys: z.array(
    z.object({
      id: words('Id'),
      name: words('Whose it is'),
      max_extra_fee_bps: count('Highest extra_fees it allows'),
      key_hash: words('SHA-256 of the key, hex'),
    }),
  ),
});
export type DeveloperKeys = z.infer<typeof developerKeys>;

export const newDeveloperKey = z.object({ id: words('Id'), key: words('The key, shown this once') });
export type NewDeveloperKey = z.infer<typeof newDeveloperKey>;

/** POST /owner/developer-keys. */
export interface DeveloperKeyRequest {
  readonly name: string;
  readonly maxExtraFeeBps: number;
}

export const developerKeyBody = request(
  {
    name: text('name', 'whose key it is', 100),
    max_extra_fee_bps: integerField(
      'max_extra_fee_bps',
      'the highest extra_fees the key allows, in basis points',
      0,
      10_000,
    ),
  },
  (wire): DeveloperKeyRequest => ({ name: wire.name, maxExtraFeeBps: wire.max_extra_fee_bps }),
);
