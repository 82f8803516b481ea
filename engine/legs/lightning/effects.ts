import type { Sha256 } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import type { Unix } from '../../domain/time.ts';
import type { OnlyIf } from '../only-if.ts';
import type { PayRequest } from './port.ts';

/** What a machine asks of the Lightning node. */
export type LightningEffect =
  | {
      readonly do: 'hold.create';
      readonly hash: Sha256;
      readonly amount: Sats;
      readonly description: string;
      readonly expiresAt: Unix;
      readonly cltvDelta: number;
    }
  | { readonly do: 'hold.settle'; readonly hash: Sha256 }
  | { readonly do: 'hold.cancel'; readonly hash: Sha256 }
  | { readonly do: 'pay'; readonly payment: PayRequest; readonly onlyIf: OnlyIf };
