import { z } from 'zod';
import { liveness, medianTimePast, nodeStatus, proof, readiness, supportAgents, version } from '../records/node.ts';
import { proofQuery } from '../requests/proof.ts';
import { jsonObject } from '../wire.ts';
import { costs, route } from './route.ts';

/** The node itself: whether it answers, serves, and is the one that is meant. */
export const nodeRoutes = {
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
