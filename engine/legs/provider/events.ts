import type { SwapStatus } from '../../domain/status.ts';

/** What a provider answered. Nothing of it is a fact. */
export type ProviderEvent =
  /** A provider opened our swap. Its record is a claim, not yet a fact: unread and unchecked. */
  | { readonly is: 'provider.created'; readonly record: unknown }
  | { readonly is: 'provider.refused'; readonly reason: string }
  /** What a provider says of our swap: believed only where acting on it cannot cost us anything. */
  | { readonly is: 'provider.seen'; readonly status: SwapStatus }
  /** The provider does not sign the refund now. */
  | { readonly is: 'provider.declined'; readonly reason: string };
