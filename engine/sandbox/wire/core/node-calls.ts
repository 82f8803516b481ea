import { relayFloor } from '../../world/bitcoin/policy.ts';
import type { CoreCalls } from './calls.ts';

const relayFee = (relayFloor * 1_000) / 1e8;

/** What the node says of itself. */
export const nodeCalls: CoreCalls = {
  getnetworkinfo: () => ({
    version: 290000,
    subversion: '/Satoshi:29.0.0/',
    protocolversion: 70016,
    localrelay: true,
    timeoffset: 0,
    networkactive: true,
    connections: 0,
    relayfee: relayFee,
    incrementalfee: relayFee,
    warnings: [],
  }),
  getindexinfo: ({ world, txindex }) =>
    txindex ? { txindex: { synced: true, best_block_height: world.tip().height } } : {},
};
