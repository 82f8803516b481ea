import type { Sha256 } from '../../domain/hash.ts';

/** What is looked at on Lightning while a swap needs it. */
export type LightningWatch =
  { readonly on: 'hold'; readonly hash: Sha256 } | { readonly on: 'payment'; readonly hash: Sha256 };
