import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { toHex } from '../../domain/hex.ts';
import { toBase64 } from '../../contract/base64.ts';
import { collabRefundRoutes, delegateRefundRoutes } from '../../contract/directions/directions.ts';
import type { Reply } from '../../contract/routes.ts';
import { refuseOffCurve } from '../curve.ts';
import type { OurPartial } from '../service.ts';
import { isSwapId, unknownSwap, withSwap, type Call, type Handlers } from './handler.ts';

type CollabRefund = keyof typeof collabRefundRoutes;
type DelegateRefund = keyof typeof delegateRefundRoutes;

async function collabRefund({ service, request }: Call<CollabRefund>): Promise<Reply<CollabRefund> | Refusal> {
  const signed = await withSwap(request.params.id, (id) => service.collabRefund(id, request.body));
  if (isRefusal(signed)) return signed;
  return { ark_tx: toBase64(signed.arkTx), checkpoint_txs: signed.checkpoints.map(toBase64) };
}

async function collabRefundDelegate({
  service,
  request,
}: Call<DelegateRefund>): Promise<Reply<DelegateRefund> | Refusal> {
  const signed = await withSwap(request.params.id, (id) => service.collabRefundDelegate(id, request.body));
  if (isRefusal(signed)) return signed;
  return { forfeit_psbts: signed.forfeits.map(toBase64), intent_proof: toBase64(signed.intentProof) };
}

/** What a client takes back, or claims, with a signature of ours beside its own. */
export const refundHandlers: Handlers<
  | CollabRefund
  | DelegateRefund
  | 'cooperativeClaim'
  | 'cooperativeRefund'
  | 'serverClaim'
  | 'signServerClaim'
  | 'delegateKey'
  | 'delegateSettle'
> = {
  ...underEach(collabRefundRoutes, collabRefund),
  ...underEach(delegateRefundRoutes, collabRefundDelegate),
  async cooperativeClaim({ service, request }) {
    const signed = await withSwap(request.params.id, (id) => service.cooperativeClaim(id, request.body));
    return isRefusal(signed) ? signed : partialReply(signed);
  },
  async cooperativeRefund({ service, request }) {
    const signed = await withSwap(request.params.id, (id) => service.cooperativeRefund(id, request.body));
    return isRefusal(signed) ? signed : partialReply(signed);
  },
  async serverClaim({ service, request }) {
    const claim = await withSwap(request.params.id, (id) => service.serverClaim(id));
    if (isRefusal(claim)) return claim;
    const { preimage, publicNonce, transaction } = claim;
    return { preimage: toHex(preimage), pub_nonce: toHex(publicNonce), transaction: toHex(transaction) };
  },
  async signServerClaim({ service, request }) {
    const refused = await withSwap(request.params.id, (id) => service.signServerClaim(id, request.body));
    return refused ?? { accepted: true };
  },
  async delegateKey({ service }) {
    const key = await service.delegateKey();
    return isRefusal(key) ? key : { cosigner_pk: toHex(key) };
  },
  async delegateSettle({ service, request: { body }, signal }) {
    const offCurve = refuseOffCurve({ cosigner_pk: body.cosigner });
    if (offCurve !== null) return offCurve;
    if (body.swapId !== null && !isSwapId(body.swapId)) return { ...unknownSwap(body.swapId), refusal: 'invalid' };
    const settlement = await service.delegateSettle(body, signal);
    return isRefusal(settlement) ? settlement : { commitment_txid: settlement.commitmentTxid };
  },
};

function partialReply({ publicNonce, partial }: OurPartial): Reply<'cooperativeClaim'> {
  return { pub_nonce: toHex(publicNonce), partial_signature: toHex(partial) };
}

/** One handler for every operation of a table. */
function underEach<N extends string, H>(table: Readonly<Record<N, unknown>>, handler: H): Readonly<Record<N, H>> {
  return Object.fromEntries(Object.keys(table).map((name) => [name, handler])) as Record<N, H>;
}
