import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { toHex } from '../../domain/hex.ts';
import { toBase64 } from '../../contract/base64.ts';
import type { CollabRefundRequest } from '../../contract/requests/refunds.ts';
import type { Service } from '../service.ts';
import { refuseOffCurve } from '../curve.ts';
import { isSwapId, unknownSwap, withSwap, type Handlers } from './handler.ts';

type RefundRoute =
  | 'collabRefund'
  | 'collabRefundArkadeLightning'
  | 'collabRefundDelegate'
  | 'delegateKey'
  | 'delegateSettle'
  | 'redeemData'
  | 'claimGasless'
  | 'permit2Funding'
  | 'fundGasless'
  | 'refundCalldata'
  | 'collabRefundEvmParams'
  | 'collabRefundEvm';

interface CollabRefundCall {
  readonly service: Service;
  readonly request: { readonly params: { readonly id: string }; readonly body: CollabRefundRequest };
}

async function collabRefund({
  service,
  request,
}: CollabRefundCall): Promise<{ ark_tx: string; checkpoint_txs: string[] } | Refusal> {
  const signed = await withSwap(request.params.id, (id) => service.collabRefund(id, request.body));
  if (isRefusal(signed)) return signed;
  return { ark_tx: toBase64(signed.arkTx), checkpoint_txs: signed.checkpoints.map(toBase64) };
}

export const refundHandlers: Handlers<RefundRoute> = {
  collabRefund,
  collabRefundArkadeLightning: collabRefund,
  async collabRefundDelegate({ service, request }) {
    const signed = await withSwap(request.params.id, (id) => service.collabRefundDelegate(id, request.body));
    if (isRefusal(signed)) return signed;
    return { forfeit_psbts: signed.forfeits.map(toBase64), intent_proof: toBase64(signed.intentProof) };
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

  redeemData: ({ service, request }) => withSwap(request.params.id, (id) => service.redeemData(id, request.query)),
  claimGasless: ({ service, request }) => withSwap(request.params.id, (id) => service.claimGasless(id, request.body)),
  permit2Funding: ({ service, request }) => withSwap(request.params.id, (id) => service.permit2Funding(id)),
  fundGasless: ({ service, request }) => withSwap(request.params.id, (id) => service.fundGasless(id, request.body)),
  refundCalldata: ({ service, request }) => withSwap(request.params.id, (id) => service.refundCalldata(id)),
  collabRefundEvmParams: ({ service, request }) =>
    withSwap(request.params.id, (id) => service.collabRefundEvmParams(id)),
  collabRefundEvm: ({ service, request }) =>
    withSwap(request.params.id, (id) => service.collabRefundEvm(id, request.body)),
};
