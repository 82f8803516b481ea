import { bundlerConfig, gaslessClaim, permit2Funding, redeemData, relayed, useropFunding } from '../records/evm.ts';
import { collabRefundEvmParams, refundCalldata } from '../records/refunds.ts';
import { claimGaslessBody, collabRefundEvmBody, fundGaslessBody, redeemDataQuery } from '../requests/evm.ts';
import { bundlerConfigQuery } from '../requests/dex.ts';
import { costs, route, swapId } from './route.ts';

/** HTLCs on EVM chains: claims, funding and refunds that the client signs. */
export const evmRoutes = {
  redeemData: route('GET', '/swap/{id}/redeem-and-swap-calldata', {
    summary: 'What a client signs to claim an EVM HTLC without gas',
    params: swapId,
    query: redeemDataQuery,
    reply: redeemData,
    refusals: [400, 500, 503],
    judged: 'claim-evm',
    cost: costs.gasless,
  }),
  claimGasless: route('POST', '/swap/{id}/claim-gasless', {
    summary: 'Claim an EVM HTLC without gas',
    params: swapId,
    body: claimGaslessBody,
    reply: gaslessClaim,
    refusals: [400, 500, 503],
    judged: 'claim-evm',
    cost: costs.gasless,
  }),
  permit2Funding: route('GET', '/swap/{id}/swap-and-lock-calldata-permit2', {
    summary: 'What a client signs to fund an EVM HTLC through Permit2',
    params: swapId,
    reply: permit2Funding,
    refusals: [400, 500, 503],
    judged: 'fund-evm',
    cost: costs.gasless,
  }),
  useropFunding: route('GET', '/swap/{id}/swap-and-lock-calldata-userop', {
    summary: 'What a client funds an EVM HTLC with by a bundler of its own',
    params: swapId,
    reply: useropFunding,
    refusals: [400, 500, 503],
    judged: 'fund-evm',
    cost: costs.gasless,
  }),
  bundlerConfig: route('GET', '/aa/config', {
    summary: 'The bundler that clients of this node may use on an EVM chain',
    query: bundlerConfigQuery,
    reply: bundlerConfig,
    refusals: [400, 404],
  }),
  fundGasless: route('POST', '/swap/{id}/fund-gasless', {
    summary: 'Fund an EVM HTLC without gas',
    params: swapId,
    body: fundGaslessBody,
    reply: relayed,
    refusals: [400, 500, 503],
    judged: 'fund-evm',
    cost: costs.gasless,
  }),
  refundCalldata: route('GET', '/swap/{id}/refund-and-swap-calldata', {
    summary: 'The call that refunds an EVM HTLC after its timeout',
    params: swapId,
    reply: refundCalldata,
    refusals: [400, 500, 503],
    judged: 'refund-evm-alone',
    cost: costs.gasless,
  }),

  collabRefundEvmParams: route('GET', '/api/swap/{id}/collab-refund-evm/params', {
    summary: 'What a depositor signs to refund an EVM HTLC before its timeout',
    params: swapId,
    reply: collabRefundEvmParams,
    refusals: [403, 404, 500, 503],
    judged: 'refund-evm',
    cost: costs.gasless,
  }),
  collabRefundEvm: route('POST', '/api/swap/{id}/collab-refund-evm', {
    summary: 'Refund an EVM HTLC before its timeout',
    params: swapId,
    body: collabRefundEvmBody,
    reply: relayed,
    refusals: [400, 403, 404, 500, 503],
    judged: 'refund-evm',
    cost: costs.gasless,
  }),
};
