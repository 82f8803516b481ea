import type { Txid } from '../../domain/outpoint.ts';
import type { SwapStatus } from '../../domain/status.ts';

/** What a provider answered. Nothing of it is a fact. */
export type ProviderEvent =
  /** A provider opened our swap. Its record is a claim, not yet a fact: unread and unchecked. */
  | { readonly is: 'provider.created'; readonly record: unknown }
  | { readonly is: 'provider.refused'; readonly reason: string }
  /**
   * What a provider says of our swap: believed only where acting on it cannot cost us anything. `paidIn`: what paid an
   * HTLC on the Bitcoin chain, for a coin that was spent before anybody looked is listed nowhere.
   */
  | { readonly is: 'provider.seen'; readonly status: SwapStatus; readonly paidIn?: Txid }
  /** The provider does not do now what it was asked for. */
  | { readonly is: 'provider.declined'; readonly reason: string }
  /** We did not sign its claim of our coin: it shows none, or one that we do not sign. It goes by the script. */
  | { readonly is: 'provider.claim-unsigned'; readonly reason: string }
  /** The provider says that it sends on an EVM chain what it was asked for; the chain says what came of it. */
  | { readonly is: 'provider.relayed'; readonly txid: Txid | null }
  /**
   * It was not safe to show the provider our secret, or an exchange on the way is out of reach (`unpriced`), or no
   * connection to it was made (`unreached`), or in a rescue nobody is asked: it was not asked.
   */
  | {
      readonly is: 'provider.claim-withheld';
      readonly reason: string;
      readonly unpriced?: true;
      readonly unreached?: true;
    };
