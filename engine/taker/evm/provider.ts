import type { z } from 'zod';
import type { Client } from '../../contract/client.ts';
import { gaslessClaim, permit2Funding, relayed } from '../../contract/records/evm.ts';
import { collabRefundEvmParams } from '../../contract/records/refunds.ts';
import { chainIdOf, type TakerDirection } from '../../domain/chain.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import { toHex } from '../../domain/hex.ts';
import type { Txid } from '../../domain/outpoint.ts';
import { readAddress } from '../../legs/evm/address-text.ts';
import { checksummed } from '../../legs/evm/address.ts';
import type { EvmSignature } from '../../legs/evm/contracts.ts';
import { calling, quoteTerms, understood, type Answered } from '../answers.ts';
import type { ProviderOnEvm } from './port.ts';

/** The chains of a direction, as records name them; `evm` is the one of the order. */
interface Ends {
  readonly source: string;
  readonly target: string;
}

const txHash = /^0x[0-9a-f]{64}$/i;

/** What a provider quotes and relays for us on EVM chains, over any transport of the contract's client. */
export function providerOnEvm(client: Client, endsOf: (direction: TakerDirection) => Ends): ProviderOnEvm {
  return {
    async quoteOnEvm(direction, { chain, pegged }, { side, amount }) {
      const { source, target } = endsOf(direction);
      const end = (of: string) =>
        of === 'evm' ? [String(chainIdOf(chain)), checksummed(pegged.address)] : [of, 'btc'];
      const [source_chain, source_token] = end(source);
      const [target_chain, target_token] = end(target);
      const pinned = { [side === 'source' ? 'source_amount' : 'target_amount']: amount.toString() };
      const query = { source_chain, source_token, target_chain, target_token, ...pinned };
      const answered = await calling(() => client.call('quote', { query: query as never }), [503]);
      if ('refused' in answered) return refuse('unavailable', answered.refused);
      const terms = understood(quoteTerms, answered.value);
      return { source: BigInt(terms.net_source_amount), target: BigInt(terms.net_target_amount) };
    },

    async claimOnEvm(swapId, { secret, destination, signature }) {
      const body = { secret: word(secret), destination: word(destination), ...partsOf(signature) };
      const answered = await calling(() => client.call('claimGasless', { params: { id: swapId }, body }), []);
      return sentBy(gaslessClaim, answered);
    },

    async fundOnEvm(swapId, permit) {
      const offered = await calling(() => client.call('permit2Funding', { params: { id: swapId } }), []);
      if ('refused' in offered) return refuse('forbidden', offered.refused);
      const asks = understood(permit2Funding, offered.value);
      if (asks.calls.length > 0 || asks.source_amount !== permit.amount.toString())
        return refuse('forbidden', 'The provider asks for another funding than the one that was agreed.');
      const { tokenPermit } = permit;
      const body = {
        permit2_nonce: permit.nonce.toString(),
        permit2_deadline: Number(permit.deadline),
        permit2_signature: word(permit.signature),
        calls: [],
        ...(tokenPermit === undefined || tokenPermit.signature instanceof Uint8Array
          ? {}
          : {
              eip2612_permit: {
                value: tokenPermit.value.toString(),
                deadline: tokenPermit.deadline.toString(),
                ...partsOf(tokenPermit.signature),
              },
            }),
      };
      return sentBy(relayed, await calling(() => client.call('fundGasless', { params: { id: swapId }, body }), []));
    },

    async refundCaller(swapId) {
      const answered = await calling(() => client.call('collabRefundEvmParams', { params: { id: swapId } }), []);
      if ('refused' in answered) return refuse('forbidden', answered.refused);
      const { server_signer_address: caller } = understood(collabRefundEvmParams, answered.value);
      return readAddress(caller) ?? refuse('forbidden', 'The provider does not say who sends the refund.');
    },

    async refundOnEvm(swapId, { depositor, signature }) {
      const body = { depositor_address: word(depositor), ...partsOf(signature) };
      return sentBy(relayed, await calling(() => client.call('collabRefundEvm', { params: { id: swapId }, body }), []));
    },
  };
}

/** The hash of what the provider says that it sent; null where it does not say. Nothing hangs on it but what people see. */
function sentBy(
  schema: typeof gaslessClaim | typeof relayed,
  answered: Answered,
): { readonly txid: Txid | null } | Refusal {
  if ('refused' in answered) return refuse('forbidden', answered.refused);
  const reply: z.infer<typeof relayed> = understood(schema, answered.value);
  return { txid: txHash.test(reply.tx_hash) ? reply.tx_hash.slice(2).toLowerCase() : null };
}

function word(bytes: Uint8Array): string {
  return `0x${toHex(bytes)}`;
}

function partsOf({ v, r, s }: EvmSignature) {
  return { v, r: word(r), s: word(s) };
}
