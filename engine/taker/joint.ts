import { z } from 'zod';
import type { Client, Signal } from '../contract/client.ts';
import { refuse, type Refusal } from '../domain/errors.ts';
import type { Preimage } from '../domain/hash.ts';
import { fromHex, toHex } from '../domain/hex.ts';
import type { TheirPartial } from '../legs/onchain/wallet-port.ts';
import { calling, understood } from './answers.ts';

/** A spend of an HTLC's coin by the key of both that the provider is asked to sign with us. */
export interface JointAsk {
  readonly publicNonce: Uint8Array;
  /** Without witnesses; its only input takes the coin. */
  readonly transaction: Uint8Array;
}

/** What a provider is asked of an HTLC on the Bitcoin chain. */
export interface ProviderOnBitcoin {
  /** Shows it our secret. */
  claimTogether(
    swapId: string,
    claim: JointAsk & { readonly preimage: Preimage },
    signal: Signal,
  ): Promise<TheirPartial | Refusal>;
  /** `signature`: of our own key over what is asked. */
  refundTogether(
    swapId: string,
    refund: JointAsk & { readonly signature: Uint8Array },
    signal: Signal,
  ): Promise<TheirPartial | Refusal>;
}

const reply = z.object({
  pub_nonce: z.string().regex(/^[0-9a-fA-F]{132}$/),
  partial_signature: z.string().regex(/^[0-9a-fA-F]{64}$/),
});

export function providerOnBitcoin(client: Client): ProviderOnBitcoin {
  async function asking(call: () => Promise<unknown>): Promise<TheirPartial | Refusal> {
    const answered = await calling(call, []);
    if ('refused' in answered) return refuse('forbidden', answered.refused);
    const { pub_nonce: nonce, partial_signature: partial } = understood(reply, answered.value);
    return { publicNonce: fromHex(nonce.toLowerCase()), partial: fromHex(partial.toLowerCase()) };
  }
  return {
    claimTogether: (id, { preimage, ...ask }, signal) =>
      asking(() =>
        client.call(
          'cooperativeClaim',
          { params: { id }, body: { ...bodyOf(ask), preimage: toHex(preimage) } },
          signal,
        ),
      ),
    refundTogether: (id, { signature, ...ask }, signal) =>
      asking(() =>
        client.call(
          'cooperativeRefund',
          { params: { id }, body: { ...bodyOf(ask), signature: toHex(signature) } },
          signal,
        ),
      ),
  };
}

function bodyOf({ publicNonce, transaction }: JointAsk) {
  return { pub_nonce: toHex(publicNonce), transaction: toHex(transaction), index: 0 };
}
