import type { EvmNetwork, TakerDirection } from '../../domain/chain.ts';
import type { Refusal } from '../../domain/errors.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import type { Preimage } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { Permit } from '../../legs/evm/acts.ts';
import type { Call, EvmSignature } from '../../legs/evm/contracts.ts';

/** What a provider says that it sent for us: a word for people, never a fact. */
type Relayed = { readonly txid: Txid | null };

/** What a provider relays for us on EVM chains. Asked again it says the same; silence is unknown, never no. */
export interface ProviderOnEvm {
  /**
   * Binding for us as the most that we pay and the least that we get, in smallest units of either side; `fees` in sats,
   * all parts together.
   */
  quoteOnEvm(
    direction: TakerDirection,
    token: { readonly chain: EvmNetwork; readonly wanted: { readonly address: EvmAddress } },
    pinned: { readonly side: 'source' | 'target'; readonly amount: bigint },
  ): Promise<{ readonly source: bigint; readonly target: bigint; readonly fees: Sats } | Refusal>;
  /**
   * What it wants signed for a claim now: the least that it goes by, and how it would exchange; null for not at all.
   */
  redeemTerms(
    swapId: string,
    destination: EvmAddress,
  ): Promise<{ readonly least: bigint; readonly exchange: Call | null } | Refusal>;
  /** Gives the secret away: from this call on it is out, whatever is answered. */
  claimOnEvm(
    swapId: string,
    claim: {
      readonly secret: Preimage;
      readonly destination: EvmAddress;
      readonly signature: EvmSignature;
      /** The call of the exchange, which the signature covers; null where nothing is exchanged. */
      readonly exchange: Call | null;
    },
  ): Promise<Relayed | Refusal>;
  /** Permit2 takes the nonce of the permit once, whoever sends it. */
  fundOnEvm(swapId: string, permit: Permit): Promise<Relayed | Refusal>;
  /** The account that would send a refund which both sides sign. */
  refundCaller(swapId: string): Promise<EvmAddress | Refusal>;
  refundOnEvm(
    swapId: string,
    refund: { readonly depositor: EvmAddress; readonly signature: EvmSignature },
  ): Promise<Relayed | Refusal>;
}
