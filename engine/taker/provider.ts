import { z } from 'zod';
import { fromBase64, toBase64 } from '../contract/base64.ts';
import type { Client } from '../contract/client.ts';
import { directionContracts } from '../contract/directions/directions.ts';
import { collabRefundReply } from '../contract/records/refunds.ts';
import { recovery } from '../contract/records/swap.ts';
import { swapStatus } from '../contract/wire.ts';
import { wireDirections } from '../domain/chain.ts';
import { refuse, type Refusal } from '../domain/errors.ts';
import { toHex } from '../domain/hex.ts';
import { sats } from '../domain/money.ts';
import type { CollabRefund } from '../legs/arkade/refund-request.ts';
import type { ProviderOrder } from '../legs/provider/effects.ts';
import { hash160OfSha256 } from '../legs/secret.ts';
import { calling, quoteTerms, understood } from './answers.ts';
import { takenDirections } from './directions.ts';
import { providerOnEvm } from './evm/provider.ts';
import { providerOnBitcoin } from './joint.ts';
import { faultOf, offerOf, pairsOf, tokensOf } from './offer.ts';
import type { ProviderPort } from './port.ts';

const readSwap = z.object({ status: swapStatus, btc_fund_txid: z.unknown().optional() });
const isTxid = /^[0-9a-f]{64}$/;
const recovered = z.object({
  swaps: z.array(
    z.looseObject({ hash_lock: z.string().optional(), evm_hash_lock: z.string().optional(), direction: z.string() }),
  ),
});

const recoveryPlace = recovery.pick({ scanned_until: true, complete: true }).extend({ swaps: z.array(z.unknown()) });

/**
 * A provider over any transport of the contract's client. `userXpub` is what a recovery looks by; `quick` is for what
 * is only compared, and may read less.
 */
export function createProvider(client: Client, userXpub: string, quick: Client = client): ProviderPort {
  return {
    async quote(direction, { side, amount }) {
      const { source, target } = takenDirections[direction];
      const query = {
        source_chain: source,
        source_token: 'btc',
        target_chain: target,
        target_token: 'btc',
        [side === 'source' ? 'source_amount' : 'target_amount']: amount.toString(),
      };
      const answered = await calling(() => client.call('quote', { query: query as never }), [503]);
      if ('refused' in answered) return refuse('unavailable', answered.refused);
      const terms = understood(quoteTerms, answered.value);
      return { source: sats(BigInt(terms.net_source_amount)), target: sats(BigInt(terms.net_target_amount)) };
    },

    offer: (inquiry, signal) => offerOf(quick, inquiry, signal),
    pairs: (signal) => pairsOf(quick, signal),
    tokens: (signal) => tokensOf(quick, signal),
    fault: (signal) => faultOf(quick, signal),

    async create({ direction, body }) {
      const answered = await calling(
        () => client.call(directionContracts[direction].operation, { body: body as never }),
        // A create that is answered 503 leaves nothing behind (DECISIONS.md, "A create that needs a network").
        [503],
      );
      if (!('refused' in answered)) return { is: 'created', record: answered.value };
      return { is: answered.status === 409 ? 'used' : 'refused', sentence: answered.refused };
    },

    async find(order) {
      const answered = await calling(
        () => client.call('recover', { body: { xpub: userXpub, start_index: order.keyIndex } }),
        [],
      );
      if ('refused' in answered) return null;
      const { swaps } = understood(recovered, answered.value);
      return swaps.find((swap) => isOrdered(swap, order)) ?? null;
    },

    async recover(startIndex) {
      const answered = await calling(
        () => client.call('recover', { body: { xpub: userXpub, start_index: startIndex } }),
        [],
      );
      if ('refused' in answered) return null;
      const page = understood(recoveryPlace, answered.value);
      return { swaps: page.swaps, scannedUntil: page.scanned_until, complete: page.complete };
    },

    async status(swapId) {
      const answered = await calling(() => client.call('swap', { params: { id: swapId } }), []);
      if ('refused' in answered) return null;
      const { status, btc_fund_txid: paidIn } = understood(readSwap, answered.value);
      return typeof paidIn === 'string' && isTxid.test(paidIn) ? { status, paidIn } : { status };
    },

    async cosign(swapId, refund) {
      const body = { ark_tx: toBase64(refund.arkTx), checkpoint_txs: refund.checkpoints.map(toBase64) };
      const answered = await calling(() => client.call('collabRefund', { params: { id: swapId }, body }), []);
      return 'refused' in answered
        ? refuse('forbidden', answered.refused)
        : signedHalf(understood(collabRefundReply, answered.value));
    },

    ...providerOnBitcoin(client),
    ...providerOnEvm(client, (direction) => takenDirections[direction]),
  };
}

interface Recovered {
  readonly direction: string;
  readonly hash_lock?: string | undefined;
  readonly evm_hash_lock?: string | undefined;
}

/**
 * Records say the hash with its prefix, or where it is the 20 bytes of both legs, without one (facts/clients.md 20).
 */
function isOrdered(swap: Recovered, { direction, hash }: ProviderOrder): boolean {
  const text = (swap.hash_lock ?? swap.evm_hash_lock ?? '').toLowerCase();
  return (
    swap.direction === wireDirections[direction] &&
    (text === `0x${toHex(hash)}` || text === toHex(hash160OfSha256(hash)))
  );
}

function signedHalf(reply: z.infer<typeof collabRefundReply>): CollabRefund | Refusal {
  const arkTx = fromBase64(reply.ark_tx);
  const checkpoints = reply.checkpoint_txs.map(fromBase64).filter((bytes) => bytes !== null);
  if (arkTx === null || checkpoints.length !== reply.checkpoint_txs.length)
    return refuse('forbidden', 'The provider’s answer is no refund transaction.');
  return { arkTx, checkpoints };
}
