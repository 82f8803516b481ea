import { z } from 'zod';
import { collabRefundRoutes, createRoutes, delegateRefundRoutes } from '../directions/directions.ts';
import { bundlerConfig, gaslessClaim, permit2Funding, redeemData, relayed, useropFunding } from '../records/evm.ts';
import {
  chainConfig,
  dexCalls,
  dexQuote,
  evmTokenChains,
  evmTokens,
  lightningSendQuote,
  networkFees,
  quote,
  referralFee,
  swapPairs,
  tokenList,
} from '../records/market.ts';
import {
  bulkStatus,
  liveness,
  medianTimePast,
  nodeStatus,
  proof,
  readiness,
  supportAgents,
  version,
} from '../records/node.ts';
import {
  collabRefundEvmParams,
  cooperativeReply,
  serverClaim,
  serverClaimAccepted,
  cosignerKey,
  refundCalldata,
  settlement,
} from '../records/refunds.ts';
import { cooperativeClaimBody, cooperativeRefundBody, serverClaimBody, furtherInputs } from '../requests/cosign.ts';
import { recovery, swapRecord } from '../records/swap.ts';
import { claimGaslessBody, collabRefundEvmBody, fundGaslessBody, redeemDataQuery } from '../requests/evm.ts';
import { bundlerConfigQuery, dexCallsBody, dexQuoteBody, evmTokensQuery } from '../requests/dex.ts';
import { lightningSendQuery, quoteQuery, referralFeeQuery, tokensQuery } from '../requests/quotes.ts';
import { proofQuery } from '../requests/proof.ts';
import { bulkStatusBody, delegateSettleBody, recoverBody } from '../requests/refunds.ts';
import { jsonObject } from '../wire.ts';
import { costs, moreOutside, route, swapId } from './route.ts';

/**
 * The operations of the published interface, and those without which clients cannot finish a swap (facts/clients.md 1
 * and 3).
 */
export const publicRoutes = {
  ...createRoutes,

  tokens: route('GET', '/tokens', {
    summary: 'List the tokens that can be swapped now',
    query: tokensQuery,
    reply: tokenList,
    refusals: [400],
  }),
  swap: route('GET', '/swap/{id}', { summary: 'Read a swap', params: swapId, reply: swapRecord, refusals: [400, 500] }),
  bulkStatus: route('POST', '/swap/bulk-status', {
    summary: 'Read the status of up to 100 swaps',
    body: bulkStatusBody,
    reply: bulkStatus,
    refusals: [400, 500],
    cost: costs.read,
    more: ({ body }) => body.ids.length * costs.id - costs.read,
  }),
  recover: route('POST', '/swap/recover', {
    summary: 'Find the swaps of an extended public key',
    body: recoverBody,
    reply: recovery,
    refusals: [400, 429, 500],
    cost: costs.recover,
  }),

  quote: route('GET', '/quote', {
    summary: 'What a swap costs',
    query: quoteQuery,
    reply: quote,
    refusals: [400, 401, 503],
    more: ({ query }) => moreOutside(query.source.token !== 'btc' || query.target.token !== 'btc', costs.read),
  }),
  lightningSendQuote: route('GET', '/quote/lightning-send', {
    summary: 'What a payout over Lightning costs',
    query: lightningSendQuery,
    reply: lightningSendQuote,
    refusals: [400, 401, 503],
    more: ({ query }) => moreOutside(query.sourceChain !== 'Arkade' || query.payee.is !== 'invoice', costs.read),
  }),
  referralFee: route('GET', '/referral-fee', {
    summary: 'What a surcharge or a referral code adds to the fee',
    query: referralFeeQuery,
    reply: referralFee,
    refusals: [400, 401],
  }),
  swapPairs: route('GET', '/swap-pairs', {
    summary: 'The pairs that can be swapped now, with fees and limits',
    reply: swapPairs,
    refusals: [],
  }),
  networkFees: route('GET', '/network-fees', {
    summary: 'Network fees of each pair',
    reply: networkFees,
    refusals: [],
  }),
  chainConfig: route('GET', '/chain-config', {
    summary: 'The BTC-pegged token of each EVM chain',
    reply: chainConfig,
    refusals: [],
  }),

  evmTokens: route('GET', '/evm-tokens', {
    summary: 'The tokens of EVM chains that can be swapped now',
    query: evmTokensQuery,
    reply: evmTokens,
    refusals: [400],
  }),
  evmTokenChains: route('GET', '/evm-tokens/chains', {
    summary: 'The EVM chains that can be swapped on now',
    reply: evmTokenChains,
    refusals: [],
  }),
  dexQuote: route('POST', '/dex-quote', {
    summary: 'What an exchange of the BTC-pegged token gives',
    body: dexQuoteBody,
    reply: dexQuote,
    refusals: [400, 500, 502, 503],
    cost: costs.asksOutside,
  }),
  dexFundCalls: route('POST', '/dex-calldata/fund', {
    summary: 'The calls of an exchange that pays the coordinator',
    body: dexCallsBody,
    reply: dexCalls,
    refusals: [400, 500, 502, 503],
    cost: costs.asksOutside,
  }),
  dexClaimCalls: route('POST', '/dex-calldata/claim', {
    summary: 'The calls of an exchange that pays who makes them',
    body: dexCallsBody,
    reply: dexCalls,
    refusals: [400, 500, 502, 503],
    cost: costs.asksOutside,
  }),

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
  ...collabRefundRoutes,
  ...delegateRefundRoutes,
  cooperativeClaim: route('POST', '/swap/{id}/cooperative-claim', {
    summary: 'Claim an HTLC of the service on the Bitcoin chain by the key of both',
    params: swapId,
    body: cooperativeClaimBody,
    reply: cooperativeReply,
    refusals: [400, 403, 500, 503],
    judged: 'claim-together',
    cost: costs.asksOutside,
    more: ({ body }) => furtherInputs(body.transaction) * costs.input,
  }),
  cooperativeRefund: route('POST', '/swap/{id}/cooperative-refund', {
    summary: 'Take a coin back from an HTLC on the Bitcoin chain by the key of both, before its timeout',
    params: swapId,
    body: cooperativeRefundBody,
    reply: cooperativeReply,
    refusals: [400, 403, 500, 503],
    judged: 'refund-together',
    cost: costs.asksOutside,
    more: ({ body }) => furtherInputs(body.transaction) * costs.input,
  }),
  serverClaim: route('GET', '/swap/{id}/server-claim', {
    summary: "What a client signs for the service's claim of its coin on the Bitcoin chain, by the key of both",
    params: swapId,
    reply: serverClaim,
    refusals: [400, 403, 500],
  }),
  signServerClaim: route('POST', '/swap/{id}/server-claim', {
    summary: "Sign the service's claim of a coin on the Bitcoin chain, by the key of both",
    params: swapId,
    body: serverClaimBody,
    reply: serverClaimAccepted,
    refusals: [400, 403, 500],
    judged: 'sign-server-claim',
    cost: costs.psbts,
  }),
  delegateKey: route('GET', '/api/delegate/cosigner-pk', {
    summary: 'The key with which the service joins a batch for a client',
    reply: cosignerKey,
    refusals: [500, 503],
  }),
  delegateSettle: route('POST', '/api/delegate/settle', {
    summary: 'Take coins of a client through a batch',
    body: delegateSettleBody,
    reply: settlement,
    refusals: [400, 500, 503],
    large: true,
    cost: costs.psbts,
  }),

  mtp: route('GET', '/mtp', { summary: 'Median time past of the Bitcoin tip', reply: medianTimePast, refusals: [503] }),
  health: route('GET', '/health', {
    summary: 'Whether the node answers',
    reply: z.literal('ok').meta({ description: 'The JSON text "ok"' }),
    refusals: [],
  }),
  live: route('GET', '/health/live', {
    summary: 'Whether the process answers at all: restart it when it does not',
    reply: liveness,
    refusals: [],
  }),
  ready: route('GET', '/health/ready', {
    summary: 'Whether new swaps are begun; 503 has the same shape, and open swaps go on',
    reply: readiness,
    refusals: [503],
  }),
  proof: route('GET', '/proof', {
    summary: "Whether this is the node of who has the owner's token, which is asked before the token is sent",
    query: proofQuery,
    reply: proof,
    refusals: [400, 403],
    cost: costs.proof,
  }),
  version: route('GET', '/version', { summary: 'Version of the node', reply: version, refusals: [] }),
  status: route('GET', '/status', {
    summary: 'Health of each network; 503 has the same shape',
    reply: nodeStatus,
    refusals: [503],
  }),
  supportAgents: route('GET', '/support-agents', {
    summary: 'Who helps users of this node',
    reply: supportAgents,
    refusals: [],
  }),
  openapi: route('GET', '/openapi.json', {
    summary: 'This contract',
    reply: jsonObject('OpenAPI 3.1'),
    refusals: [],
    cost: costs.create,
  }),
};
