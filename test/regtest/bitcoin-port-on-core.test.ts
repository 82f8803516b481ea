import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { openPayer } from '../ports/bitcoin-payer.ts';
import { bitcoinPortSuite } from '../ports/bitcoin-suite.ts';
import { txidOf } from './kit/block.ts';
import { startChain } from './kit/chain.ts';
import { controlsOf, portTo } from './kit/bitcoin-port.ts';
import { onCore } from './kit/on-daemons.ts';

onCore('the Bitcoin port on a real Bitcoin Core', () => {
  bitcoinPortSuite('Bitcoin Core over JSON-RPC', async () => {
    const chain = await startChain({ over: 'core' });
    return { port: portTo(chain.node), controls: controlsOf(chain), stop: () => chain.stop() };
  });

  bitcoinPortSuite('Bitcoin Core with an index of spends over JSON-RPC', async () => {
    const chain = await startChain({ over: 'core-spends' });
    return { port: portTo(chain.node), controls: controlsOf(chain), stop: () => chain.stop() };
  });

  bitcoinPortSuite('Bitcoin Core without an index over JSON-RPC', async () => {
    const chain = await startChain({ over: 'core-bare' });
    return { port: portTo(chain.node), controls: controlsOf(chain), stop: () => chain.stop() };
  });

  test('fault 81, bitcoin: a spend in a block counts as mined where an index of spends names it', async () => {
    const chain = await startChain({ over: 'core-spends' });
    try {
      const port = portTo(chain.node);
      const payer = openPayer('spent and buried');
      const { txid } = await chain.faucet.pay([{ to: payer.script, amount: 50_000n }]);
      await chain.miner.mine(1);
      const coin = { outpoint: { txid, vout: 0 }, script: payer.script, amount: sats(50_000) };
      const bytes = payer.pay({ from: [coin], to: [{ script: chain.faucet.script, amount: 49_000n }] });
      const sent = await port.broadcast(bytes);
      const waiting = await port.spend(coin.outpoint);
      await chain.miner.mine(1);
      const height = await chain.height();
      expect([sent, waiting, await port.spend(coin.outpoint), await port.coins([payer.script], 0)]).toEqual([
        { is: 'accepted' },
        { txid: txidOf(bytes), height: null },
        { txid: txidOf(bytes), height },
        [],
      ]);
    } finally {
      await chain.stop();
    }
  });
});
