import { readFileSync } from 'node:fs';
import { connectBitcoin } from '../../engine/adapters/bitcoin/connect.ts';
import type { CoreEndpoint } from '../../engine/adapters/bitcoin/json-rpc.ts';
import { bitcoinPortSuite, type BitcoinControls } from '../ports/bitcoin-suite.ts';
import { startChain, type Chain } from './kit/chain.ts';
import { onDaemons } from './kit/on-daemons.ts';

function endpointOf({ btcd }: Chain): CoreEndpoint {
  return { url: btcd.url, user: btcd.user, password: btcd.password, ca: readFileSync(btcd.caFile, 'utf8') };
}

function controlsOf({ btcd, miner, faucet }: Chain): BitcoinControls {
  const hashAt = (height: number) => btcd.rpc.call<string>('getblockhash', height);
  return {
    async faucet(script, amount) {
      const { txid } = await faucet.pay([{ to: script, amount }]);
      return { txid, vout: 0 };
    },
    mine: (blocks) => miner.mine(blocks),
    async reorg(depth, instead = []) {
      const top = await btcd.rpc.call<number>('getblockcount');
      let parent = await hashAt(top - depth);
      // One block more than there was: the longer branch wins.
      for (let i = 0; i <= depth; i++) parent = (await miner.mineBlock({ parent, transactions: i === 0 ? instead : [] })).hash;
    },
    async truth() {
      const height = await btcd.rpc.call<number>('getblockcount');
      const blocks = await Promise.all(Array.from({ length: 11 }, async (_, i) => btcd.rpc.call<{ hash: string; time: number }>('getblockheader', await hashAt(height - i), true)));
      return { hash: blocks[0]?.hash ?? '', height, times: blocks.map(({ time }) => time) };
    },
  };
}

onDaemons('a real btcd', () => {
  bitcoinPortSuite('btcd over JSON-RPC', async () => {
    const chain = await startChain();
    const port = connectBitcoin({ network: 'regtest', core: endpointOf(chain), esplora: [] });
    if (port === null) throw new Error('nothing is connected');
    return { port, controls: controlsOf(chain), stop: () => chain.stop() };
  });
});
