import type { z } from 'zod';
import type { Client } from '../../contract/client.ts';
import { gaslessClaim, permit2Funding, redeemData, relayed } from '../../contract/records/evm.ts';
import { quote } from '../../contract/records/market.ts';
import { collabRefundEvmParams } from '../../contract/records/refunds.ts';
import { chainIdOf, type TakerDirection } from '../../domain/chain.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import { checksummed, readEvmAddress } from '../../domain/evm-address.ts';
import { fromHex, toHex } from '../../domain/hex.ts';
import { sats } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { Call, EvmSignature } from '../../legs/evm/contracts.ts';
import { calling, mostDigits, quoteTerms, understood, type Answered } from '../answers.ts';
import type { ProviderOnEvm } from './port.ts';

/** The chains of a direction, as records name them; `evm` is the one of the order. */
interface Ends {
  readonly source: string;
  readonly target: string;
}

const calldata = /^0x([0-9a-f]{2}){4,60000}$/i;
const txHash = /^0x[0-9a-f]{64}$/i;
const pricedTerms = quoteTerms.extend(
  quote.pick({ protocol_fee: true, network_fee: true, gasless_network_fee: true }).shape,
);

/** What a provider quotes and relays for us on EVM chains, over any transport of the contract's client. */
export function providerOnEvm(client: Client, endsOf: (direction: TakerDirection) => Ends): ProviderOnEvm {
  return {
    async quoteOnEvm(direction, { chain, wanted }, { side, amount }) {
      const { source, target } = endsOf(direction);
      const end = (of: string) =>
        of === 'evm' ? [String(chainIdOf(chain)), checksummed(wanted.address)] : [of, 'btc'];
      const [source_chain, source_token] = end(source);
      const [target_chain, target_token] = end(target);
      const pinned = { [side === 'source' ? 'source_amount' : 'target_amount']: amount.toString() };
      const query = { source_chain, source_token, target_chain, target_token, ...pinned };
      const answered = await calling(() => client.call('quote', { query: query as never }), [503]);
      if ('refused' in answered) return refuse('unavailable', answered.refused);
      const terms = understood(pricedTerms, answered.value);
      return {
        source: BigInt(terms.net_source_amount),
        target: BigInt(terms.net_target_amount),
        fees: sats(BigInt(terms.protocol_fee + terms.network_fee + terms.gasless_network_fee)),
      };
    },

    async redeemTerms(swapId, destination) {
      const query = { destination: word(destination) };
      const answered = await calling(() => client.call('redeemData', { params: { id: swapId }, query }), [503]);
      if ('refused' in answered) return refuse('unavailable', answered.refused);
      const terms = understood(redeemData, answered.value);
      if (terms.min_amount_out.length > mostDigits)
        return refuse('forbidden', 'The provider asks for an impossible amount.');
      return { least: BigInt(terms.min_amount_out), exchange: callIn(terms.dex_calldata) };
    },

    async claimOnEvm(swapId, { secret, destination, signature, exchange }) {
      const body = {
        ...{ secret: word(secret), destination: word(destination), ...partsOf(signature) },
        ...(exchange === null
          ? {}
          : {
              dex_calldata: {
                to: word(exchange.target),
                value: exchange.value.toString(),
                data: word(exchange.data),
              },
            }),
      };
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
      return readEvmAddress(caller) ?? refuse('forbidden', 'The provider does not say who sends the refund.');
    },

    async refundOnEvm(swapId, { depositor, signature }) {
      const body = { depositor_address: word(depositor), ...partsOf(signature) };
      return sentBy(relayed, await calling(() => client.call('collabRefundEvm', { params: { id: swapId }, body }), []));
    },
  };
}

/** What is no call is one that nobody could make. */
function callIn(given: z.infer<typeof redeemData>['dex_calldata']): Call | null {
  const target = readEvmAddress(given?.to ?? '');
  if (given === undefined || target === null || !/^\d{1,40}$/.test(given.value) || !calldata.test(given.data))
    return null;
  return { target, value: BigInt(given.value), data: fromHex(given.data.slice(2)) };
}

/**
 * The hash of what the provider says that it sent; null where it does not say. Nothing hangs on it but what people see.
 */
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
