import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../stories/client/http.ts';
import { eventually, startWireNode, type WireNode } from '../stories/wire-node.ts';
import { startChain, type Chain } from './kit/chain.ts';
import { guard } from './kit/daemon.ts';
import { nodeFiles } from './kit/node-files.ts';
import { onDaemons } from './kit/on-daemons.ts';
import { replayed } from './kit/replay.ts';

/** An address of BIP-173's test vectors with regtest's prefix: nobody here has its key. */
const payee = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const payeeScript = '0014751e76e8199196d454941c45d1b3a323f1433bd6';

onDaemons('the owner withdraws bitcoin by a real btcd', () => {
  let chain: Chain;
  let node: WireNode;
  /** Height from which on blocks are of this story. */
  let begun: number;

  beforeAll(async () => {
    chain = await startChain();
    begun = (await chain.height()) + 1;
    const { config, passphraseFile, folder } = await nodeFiles(chain.folder, chain.node, {});
    node = await startWireNode({
      mode: ['--config', config],
      args: ['--passphrase-file', passphraseFile],
      folder,
      onStart: guard,
    });
  }, 120_000);
  afterAll(async () => {
    await node?.stop();
    await chain?.stop();
  });

  async function balance(): Promise<Json> {
    const { balances } = await node.owner('GET', '/owner/balances');
    return (balances as readonly Json[]).find(({ network }) => network === 'bitcoin') ?? {};
  }

  function mempool(): Promise<string[]> {
    return chain.node.rpc.call('getrawmempool');
  }

  /** Every sat that blocks from a height on pay to the payee. */
  async function paidSince(first: number): Promise<readonly { txid: string; value: number }[]> {
    const paid: { txid: string; value: number }[] = [];
    for (let height = first; height <= (await chain.height()); height++) {
      const block = await chain.node.rpc.call<{
        rawtx: { txid: string; vout: { value: number; scriptPubKey: { hex: string } }[] }[];
      }>('getblock', await chain.node.rpc.call('getblockhash', height), 2);
      for (const { txid, vout } of block.rawtx)
        for (const { value, scriptPubKey } of vout)
          if (scriptPubKey.hex === payeeScript) paid.push({ txid, value: Math.round(value * 100_000_000) });
    }
    return paid;
  }

  test('a withdrawal is paid once over a higher fee, a reorganisation, a kill and a btcd that forgets', async () => {
    const first = await chain.height();
    await eventually(balance, ({ available }) => available === '0');
    const { address } = await node.owner('POST', '/owner/wallets/bitcoin/address', {});
    await chain.faucet.pay([{ to: String(address), amount: 1_000_000n }]);
    await chain.miner.mine(1);
    await eventually(balance, ({ available }) => available === '1000000');

    const { id, transaction } = await node.owner('POST', '/owner/wallets/bitcoin/withdraw', {
      address: payee,
      amount: '300000',
    });
    await eventually(mempool, (ids) => ids.includes(String(transaction)));
    expect(await node.owner('POST', `/owner/swaps/${String(id)}/bump`, {})).toEqual({ at: 'raising' });
    const [replacement = ''] = await eventually(
      mempool,
      (ids) => ids.length === 1 && !ids.includes(String(transaction)),
    );

    await chain.miner.mine(2);
    const tip = await chain.height();
    let parent = await chain.node.rpc.call<string>('getblockhash', tip - 2);
    for (let i = 0; i < 3; i++) parent = (await chain.miner.mineBlock({ parent, transactions: [] })).hash;
    expect(await paidSince(first)).toEqual([]);
    await node.kill('SIGKILL');
    // Its chain comes back from the peer, its mempool does not: nobody but the node tells it of the payment again.
    await chain.node.kill();
    await chain.node.start();
    await chain.node.connect(chain.memory);
    expect(await mempool()).toEqual([]);
    await node.start();
    await eventually(mempool, (ids) => ids.includes(replacement), 60_000);
    await chain.miner.mine(6);
    const over = await eventually(
      () => node.owner('GET', `/owner/swaps/${String(id)}`),
      ({ at }) => at === 'sent',
      60_000,
    );
    expect((over['transactions'] as readonly Json[]).map(({ txid, state }) => [txid, state]).toSorted()).toEqual(
      [
        [transaction, 'dead'],
        [replacement, 'final'],
      ].toSorted(),
    );
    expect(await paidSince(1)).toEqual([{ txid: replacement, value: 300_000 }]);
    const { available } = await eventually(balance, ({ pending }) => pending === '0');
    expect(700_000 - Number(available)).toBeGreaterThan(0);
    expect(700_000 - Number(available)).toBeLessThan(2_000);
  }, 240_000);

  test('every spend of this story, as it was and spoilt, is judged by the sandbox as by btcd', async () => {
    const { mined, spoilt, differences } = await replayed(chain, begun);
    expect([differences, mined >= 2, spoilt > 0]).toEqual([[], true, true]);
  }, 120_000);
});
