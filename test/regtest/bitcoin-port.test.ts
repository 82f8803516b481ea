import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { connectBitcoin } from '../../engine/adapters/bitcoin/connect.ts';
import { sats } from '../../engine/domain/money.ts';
import type { BitcoinPort } from '../../engine/legs/onchain/port.ts';
import { openPayer } from '../ports/bitcoin-payer.ts';
import { bitcoinPortSuite } from '../ports/bitcoin-suite.ts';
import { controlsOf, portTo } from './kit/bitcoin-port.ts';
import { startChain, type Chain } from './kit/chain.ts';
import { serveEsplora } from './kit/esplora.ts';
import { createMiner } from './kit/miner.ts';
import { onDaemons } from './kit/on-daemons.ts';

onDaemons('real daemons', () => {
  bitcoinPortSuite('btcd over JSON-RPC', async () => {
    const chain = await startChain();
    return { port: portTo(chain.node), controls: controlsOf(chain), stop: () => chain.stop() };
  });

  bitcoinPortSuite('btcd over Esplora', async () => {
    const chain = await startChain();
    const server = await serveEsplora(() => chain.node.rpc);
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
    const servers = [await serveEsplora(() => chain.node.rpc), await serveEsplora(() => chain.node.rpc)];
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
      const port = portTo(chain.node);
      const { script } = openPayer('invalidated');
      const since = await chain.height();
      const { txid } = await chain.faucet.pay([{ to: script, amount: 50_000n }]);
      await chain.miner.mine(2);
      const coin = { outpoint: { txid, vout: 0 }, script, amount: sats(50_000), reward: false };
      expect([await heightOf(port), await port.coins([script], since)]).toEqual([
        since + 2,
        [{ ...coin, height: since + 1 }],
      ]);
      const first = await chain.node.rpc.call<string>('getblockhash', since + 1);
      await chain.node.rpc.call('invalidateblock', first);
      expect([await heightOf(port), await port.coins([script], since)]).toEqual([since, [{ ...coin, height: null }]]);
      await chain.node.rpc.call('reconsiderblock', first);
      expect([await heightOf(port), await port.coins([script], since)]).toEqual([
        since + 2,
        [{ ...coin, height: since + 1 }],
      ]);
    });

    test('two nodes that mined apart agree again on the longer branch', async () => {
      const { node, memory, miner } = chain;
      const port = portTo(node);
      const { script } = openPayer('split');
      const since = await chain.height();
      await port.coins([script], since);
      await node.disconnect(memory);
      const { txid } = await chain.faucet.pay([{ to: script, amount: 50_000n }]);
      await miner.mine(1);
      const mined = await port.coins([script], since);
      const other = createMiner(() => memory.rpc);
      await other.mine(3);
      await node.connect(memory);
      await vi.waitFor(async () => expect(await heightOf(port)).toBe(since + 3), { timeout: 60_000 });
      const coin = { outpoint: { txid, vout: 0 }, script, amount: sats(50_000), reward: false };
      expect([mined, await port.coins([script], since)]).toEqual([
        [{ ...coin, height: since + 1 }],
        [{ ...coin, height: null }],
      ]);
    });

    test('a restart with an emptied chain is an absence, and the chain is believed again once it is back', async () => {
      const { node, memory } = chain;
      const port = portTo(node);
      const { script } = openPayer('restarted');
      const since = await chain.height();
      await chain.faucet.pay([{ to: script, amount: 50_000n }]);
      await chain.miner.mine(1);
      const before = { tip: await port.tip(), coins: await port.coins([script], since) };
      const server = await serveEsplora(() => memory.rpc);
      const both = portTo(node, [server.url]);
      await both.tip();
      await node.kill();
      expect(await heightOf(port)).toBe('bitcoin-away');
      expect(await heightOf(both)).toBe(since + 1);
      await node.start();
      expect([
        await node.rpc.call('getblockcount'),
        await heightOf(port),
        await port.coins([script], since).catch((cause: { code: string }) => cause.code),
      ]).toEqual([0, 'bitcoin-behind', 'bitcoin-behind']);
      // The other one goes on telling the time, and confirms nothing in the node's place.
      expect([await heightOf(both), await both.coins([script], since)]).toEqual([
        since + 1,
        before.coins.map(({ reward: _reward, ...coin }) => ({ ...coin, height: null })),
      ]);
      await node.connect(memory);
      expect({ tip: await port.tip(), coins: await port.coins([script], since) }).toEqual(before);
      await server.stop();
    });
  });
});
