import { collabRefundRoutes, createRoutes, delegateRefundRoutes } from '../directions/directions.ts';
import { tokenList } from '../records/market.ts';
import { bulkStatus } from '../records/node.ts';
import { cooperativeReply, serverClaim, serverClaimAccepted, cosignerKey, settlement } from '../records/refunds.ts';
import { cooperativeClaimBody, cooperativeRefundBody, serverClaimBody, furtherInputs } from '../requests/cosign.ts';
import { recovery, swapRecord } from '../records/swap.ts';
import { tokensQuery } from '../requests/quotes.ts';
import { bulkStatusBody, delegateSettleBody, recoverBody } from '../requests/refunds.ts';
import { costs, route, swapId } from './route.ts';
import { evmRoutes } from './evm.ts';
import { marketRoutes } from './market.ts';
import { nodeRoutes } from './node.ts';

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

  ...marketRoutes,

  ...evmRoutes,
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

  ...nodeRoutes,
};
