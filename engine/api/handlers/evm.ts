import { withSwap, type Handlers } from './handler.ts';

type EvmRoute =
  | 'redeemData'
  | 'claimGasless'
  | 'permit2Funding'
  | 'useropFunding'
  | 'bundlerConfig'
  | 'fundGasless'
  | 'refundCalldata'
  | 'collabRefundEvmParams'
  | 'collabRefundEvm';

/** What a client does with an EVM HTLC of its swap through this node. */
export const evmHandlers: Handlers<EvmRoute> = {
  redeemData: ({ service, request }) => withSwap(request.params.id, (id) => service.redeemData(id, request.query)),
  claimGasless: ({ service, request }) => withSwap(request.params.id, (id) => service.claimGasless(id, request.body)),
  permit2Funding: ({ service, request }) => withSwap(request.params.id, (id) => service.permit2Funding(id)),
  useropFunding: ({ service, request }) => withSwap(request.params.id, (id) => service.useropFunding(id)),
  bundlerConfig: ({ service, request }) => service.bundlerConfig(request.query),
  fundGasless: ({ service, request }) => withSwap(request.params.id, (id) => service.fundGasless(id, request.body)),
  refundCalldata: ({ service, request }) => withSwap(request.params.id, (id) => service.refundCalldata(id)),
  collabRefundEvmParams: ({ service, request }) =>
    withSwap(request.params.id, (id) => service.collabRefundEvmParams(id)),
  collabRefundEvm: ({ service, request }) =>
    withSwap(request.params.id, (id) => service.collabRefundEvm(id, request.body)),
};
