import { z } from 'zod';
import type { Client, Signal } from '../contract/client.ts';
import { refuse, type Refusal } from '../domain/errors.ts';
import { asPreimage, type Preimage } from '../domain/hash.ts';
import { fromHex, toHex } from '../domain/hex.ts';
import type { TheirPartial } from '../legs/onchain/wallet-port.ts';
import { calling, understood } from './answers.ts';

/** A spend of an HTLC's coin by the key of both that the provider is asked to sign with us. */
export interface JointAsk {
  readonly publicNonce: Uint8Array;
  /** Without witnesses; its only input takes the coin. */
  readonly transaction: Uint8Array;
}

/** The provider's claim of our coin, as it shows it: nothing of it is verified. */
export interface ClaimToSign {
  /** Of its own nonce, 66 bytes. */
  readonly publicNonce: Uint8Array;
  readonly preimage: Preimage;
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
  /** Its claim of our coin, which waits for us to sign it. */
  claimToSign(swapId: string, signal: Signal): Promise<ClaimToSign | Refusal>;
  /** Gives it our half of that: null where it takes it. */
  signClaim(swapId: string, half: TheirPartial, signal: Signal): Promise<null | Refusal>;
}

const isNonce = /^[0-9a-fA-F]{132}$/;
const isHash = /^[0-9a-fA-F]{64}$/;

const shownClaim = z.object({
  pub_nonce: z.string().regex(isNonce),
  preimage: z.string().regex(isHash),
  transaction: z.string().regex(/^([0-9a-fA-F]{2}){10,25000}$/),
});

const reply = z.object({
  pub_nonce: z.string().regex(isNonce),
  partial_signature: z.string().regex(isHash),
});

export function providerOnBitcoin(client: Client): ProviderOnBitcoin {
  async function asking(call: () => Promise<unknown>): Promise<TheirPartial | Refusal> {
    const answered = await calling(call, []);
    if ('refused' in answered) return refuse('forbidden', answered.refused);
    const { pub_nonce: nonce, partial_signature: partial } = understood(reply, answered.value);
    return { publicNonce: bytesOf(nonce), partial: bytesOf(partial) };
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
    async claimToSign(id, signal) {
      const answered = await calling(() => client.call('serverClaim', { params: { id } }, signal), []);
      if ('refused' in answered) return refuse('forbidden', answered.refused);
      const { pub_nonce: nonce, preimage, transaction } = understood(shownClaim, answered.value);
      return {
        publicNonce: bytesOf(nonce),
        preimage: asPreimage(bytesOf(preimage)),
        transaction: bytesOf(transaction),
      };
    },
    async signClaim(id, { publicNonce, partial }, signal) {
      const body = { pub_nonce: toHex(publicNonce), partial_signature: toHex(partial) };
      const answered = await calling(() => client.call('signServerClaim', { params: { id }, body }, signal), []);
      return 'refused' in answered ? refuse('forbidden', answered.refused) : null;
    },
  };
}

function bodyOf({ publicNonce, transaction }: JointAsk) {
  return { pub_nonce: toHex(publicNonce), transaction: toHex(transaction), index: 0 };
}

function bytesOf(hex: string): Uint8Array {
  return fromHex(hex.toLowerCase());
}
