import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { connectBitcoin } from '../../engine/adapters/bitcoin/connect.ts';
import type { CoreEndpoint } from '../../engine/adapters/bitcoin/json-rpc.ts';
import { sats } from '../../engine/domain/money.ts';
import type { BitcoinPort } from '../../engine/legs/onchain/port.ts';
import { openPayer } from '../ports/bitcoin-payer.ts';
import { bitcoinPortSuite, type BitcoinControls } from '../ports/bitcoin-suite.ts';
import type { Btcd } from './kit/btcd.ts';
import { startChain, type Chain } from './kit/chain.ts';
import { serveEsplora } from './kit/esplora.ts';
import { createMiner } from './kit/miner.ts';
import { onDaemons } from './kit/on-daemons.ts';

function endpointOf({ url, user, password, caFile }: Btcd): CoreEndpoint {
  return { url, user, password, ca: readFileSync(caFile, 'utf8') };
}

function portTo(btcd: Btcd | null, esplora: readonly string[] = []): BitcoinPort {
  const port = connectBitcoin({ network: 'regtest', core: btcd === null ? null : endpointOf(btcd), esplora });
  if (port === null) throw new Error('nothing is connected');
  return port;
}

function controlsOf({ btcd, miner, faucet }: Chain): BitcoinControls {
  const hashAt = (height: number) => btcd.rpc.call<string>('getblockhash', height);
  return {
    async faucet(script, amount) {
      const { txid } = await faucet.pay([{ to: script, amount }]);
      return { txid, vout: 0 };
    },
    mine: (blocks) => miner.mine(blocks),
    reach: (mtp) => miner.warp(mtp - Math.floor(Date.now() / 1_000)),
    async reorg(depth, instead = []) {
      const top = await btcd.rpc.call<number>('getblockcount');
      let parent = await hashAt(top - depth);
      // One block more than there was: the longer branch wins.
      for (let i = 0; i <= depth; i++)
        parent = (await miner.mineBlock({ parent, transactions: i === 0 ? instead : [] })).hash;
    },
    async truth() {
      const height = await btcd.rpc.call<number>('getblockcount');
      const blocks = await Promise.all(
        Array.from({ length: 11 }, async (_, i) =>
          btcd.rpc.call<{ hash: string; time: number }>('getblockheader', await hashAt(height - i), true),
        ),
      );
      return { hash: blocks[0]?.hash ?? '', height, times: blocks.map(({ time }) => time) };
    },
  };
}

onDaemons('real daemons', () => {
  bitcoinPortSuite('btcd over JSON-RPC', async () => {
    const chain = await startChain();
    return { port: portTo(chain.btcd), controls: controlsOf(chain), stop: () => chain.stop() };
  });

  bitcoinPortSuite('btcd over Esplora', async () => {
    const chain = await startChain();
    const server = await serveEsplora(() => chain.btcd.rpc);
    return {
      port: portTo(null, [server.url]),
      controls: controlsOf(chain),
      async stop() {
        await server.stop();
        await chain.stop();
      },
    };
  });

  bitcoinPortSuite('btcd over two Esplora servers that prove what they say', async () => {
    const chain = await startChain();
    const servers = [await serveEsplora(() => chain.btcd.rpc), await serveEsplora(() => chain.btcd.rpc)];
    const port = connectBitcoin({
      network: 'regtest',
      core: null,
      esplora: servers.map(({ url }) => url),
      isOwn: () => false,
    });
    if (port === null) throw new Error('nothing is connected');
    return {
      port,
      controls: controlsOf(chain),
      async stop() {
        for (const server of servers) await server.stop();
        await chain.stop();
      },
    };
  });

  describe('a btcd that loses blocks', () => {
    let chain: Chain;
    beforeAll(async () => {
      chain = await startChain();
    }, 60_000);
    afterAll(() => chain.stop());

    function heightOf(port: BitcoinPort): Promise<number | string> {
      return port.tip().then(
        (tip) => tip.height,
        (cause: { code: string }) => cause.code,
      );
    }

    test('blocks that are declared invalid leave the clock and the coins, and come back', async () => {
      const port = portTo(chain.btcd);
      const { script } = openPayer('invalidated');
      const since = await chain.height();
      const { txid } = await chain.faucet.pay([{ to: script, amount: 50_000n }]);
      await chain.miner.mine(2);
      const coin = { outpoint: { txid, vout: 0 }, script, amount: sats(50_000) };
      expect([await heightOf(port), await port.coins([script], since)]).toEqual([
        since + 2,
        [{ ...coin, height: since + 1 }],
      ]);
      const first = await chain.btcd.rpc.call<string>('getblockhash', since + 1);
      await chain.btcd.rpc.call('invalidateblock', first);
      expect([await heightOf(port), await port.coins([script], since)]).toEqual([since, [{ ...coin, height: null }]]);
      await chain.btcd.rpc.call('reconsiderblock', first);
      expect([await heightOf(port), await port.coins([script], since)]).toEqual([
        since + 2,
        [{ ...coin, height: since + 1 }],
      ]);
    });

    test('two nodes that mined apart agree again on the longer branch', async () => {
      const { btcd, memory, miner } = chain;
      const port = portTo(btcd);
      const { script } = openPayer('split');
      const since = await chain.height();
      await port.coins([script], since);
      await btcd.disconnect(memory);
      const { txid } = await chain.faucet.pay([{ to: script, amount: 50_000n }]);
      await miner.mine(1);
      const mined = await port.coins([script], since);
      const other = createMiner(() => memory.rpc);
      await other.mine(3);
      await btcd.connect(memory);
      await vi.waitFor(async () => expect(await heightOf(port)).toBe(since + 3), { timeout: 60_000 });
      const coin = { outpoint: { txid, vout: 0 }, script, amount: sats(50_000) };
      expect([mined, await port.coins([script], since)]).toEqual([
        [{ ...coin, height: since + 1 }],
        [{ ...coin, height: null }],
      ]);
    });

    test('a restart with an emptied chain is an absence, and the chain is believed again once it is back', async () => {
      const { btcd, memory } = chain;
      const port = portTo(btcd);
      const { script } = openPayer('restarted');
      const since = await chain.height();
      await chain.faucet.pay([{ to: script, amount: 50_000n }]);
      await chain.miner.mine(1);
      const before = { tip: await port.tip(), coins: await port.coins([script], since) };
      const server = await serveEsplora(() => memory.rpc);
      const both = portTo(btcd, [server.url]);
      await both.tip();
      await btcd.kill();
      expect(await heightOf(port)).toBe('bitcoin-away');
      expect(await heightOf(both)).toBe(since + 1);
      await btcd.start();
      expect([
        await btcd.rpc.call('getblockcount'),
        await heightOf(port),
        await port.coins([script], since).catch((cause: { code: string }) => cause.code),
      ]).toEqual([0, 'bitcoin-behind', 'bitcoin-behind']);
      // The other one goes on telling the time, and confirms nothing in the node's place.
      expect([await heightOf(both), await both.coins([script], since)]).toEqual([
        since + 1,
        before.coins.map((coin) => ({ ...coin, height: null })),
      ]);
      await btcd.connect(memory);
      expect({ tip: await port.tip(), coins: await port.coins([script], since) }).toEqual(before);
      await server.stop();
    });
  });
});
