import { readFileSync } from 'node:fs';
import { connectBitcoin } from '../../../engine/adapters/bitcoin/connect.ts';
import type { CoreEndpoint } from '../../../engine/adapters/bitcoin/json-rpc.ts';
import type { BitcoinPort } from '../../../engine/legs/onchain/port.ts';
import type { BitcoinControls } from '../../ports/bitcoin-suite.ts';
import type { BitcoinNode } from './bitcoin-node.ts';
import type { Chain } from './chain.ts';

function endpointOf({ url, user, password, caFile }: BitcoinNode): CoreEndpoint {
  return { url, user, password, ca: caFile === null ? null : readFileSync(caFile, 'utf8') };
}

/** The node's own port, over one node's JSON-RPC or over Esplora servers. */
export function portTo(node: BitcoinNode | null, esplora: readonly string[] = []): BitcoinPort {
  const port = connectBitcoin({ network: 'regtest', core: node === null ? null : endpointOf(node), esplora });
  if (port === null) throw new Error('nothing is connected');
  return port;
}

/** What a port suite does to a real chain. */
export function controlsOf({ node, miner, faucet }: Chain): BitcoinControls {
  const hashAt = (height: number) => node.rpc.call<string>('getblockhash', height);
  return {
    async faucet(script, amount) {
      const { txid } = await faucet.pay([{ to: script, amount }]);
      return { txid, vout: 0 };
    },
    replacesAll: node.kind === 'core',
    mine: (blocks) => miner.mine(blocks),
    reach: (mtp) => miner.warp(mtp - Math.floor(Date.now() / 1_000)),
    async reorg(depth, instead = []) {
      const top = await node.rpc.call<number>('getblockcount');
      let parent = await hashAt(top - depth);
      // One block more than there was: the longer branch wins.
      for (let i = 0; i <= depth; i++)
        parent = (await miner.mineBlock({ parent, transactions: i === 0 ? instead : [] })).hash;
    },
    async truth() {
      const height = await node.rpc.call<number>('getblockcount');
      const blocks = await Promise.all(
        Array.from({ length: 11 }, async (_, i) =>
          node.rpc.call<{ hash: string; time: number }>('getblockheader', await hashAt(height - i), true),
        ),
      );
      return { hash: blocks[0]?.hash ?? '', height, times: blocks.map(({ time }) => time) };
    },
  };
}
