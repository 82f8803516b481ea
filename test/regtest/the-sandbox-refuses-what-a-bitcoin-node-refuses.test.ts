import { afterAll, beforeAll, expect, test } from 'vitest';
import { toHex } from '../../engine/domain/hex.ts';
import { alice, rules } from '../sandbox/bitcoin-rule-table.ts';
import { pay } from '../sandbox/bitcoin-support.ts';
import { startChain, type Chain } from './kit/chain.ts';
import { onDaemons } from './kit/on-daemons.ts';
import { RpcError } from './kit/rpc.ts';

const amount = 1_000_000n;

/** Where btcd differs from Core and the sandbox: what it says to the broken transaction and to the whole one. */
const differences: Readonly<Record<string, { broken: boolean; whole: boolean; because: string }>> = {
  'bytes after the end': {
    broken: true,
    whole: false,
    because: 'btcd reads the transaction and forgets the rest; the whole one is in its mempool then',
  },
  'an anchor of nothing beside a fee': { broken: false, whole: false, because: 'this btcd knows no pay-to-anchor' },
  'version 4': { broken: false, whole: false, because: 'btcd relays versions 1 and 2 alone' },
};

function expected(name: string): { broken: boolean; whole: boolean } {
  const { broken, whole } = differences[name] ?? { broken: false, whole: true };
  return { broken, whole };
}

onDaemons('real daemons', () => {
  let chain: Chain;
  beforeAll(async () => {
    chain = await startChain();
  }, 60_000);
  afterAll(() => chain.stop());

  async function accepts(bytes: Uint8Array): Promise<boolean> {
    try {
      await chain.node.rpc.call('sendrawtransaction', toHex(bytes));
      return true;
    } catch (error) {
      if (error instanceof RpcError) return false;
      throw error;
    }
  }

  test.each(rules)('%s is refused by btcd like by the sandbox', async (name, broken, _, whole) => {
    const { txid } = await chain.faucet.pay([{ to: alice.script, amount }]);
    await chain.miner.mine(1);
    const { bestblockhash, blocks, mediantime } = await chain.node.rpc.call<{
      bestblockhash: string;
      blocks: number;
      mediantime: number;
    }>('getblockchaininfo');
    const block = await chain.node.rpc.call<{ rawtx: { hex: string }[] }>('getblock', bestblockhash, 2);
    const at = {
      height: blocks,
      mtp: mediantime,
      coinbase: Uint8Array.from(Buffer.from(block.rawtx[0]?.hex ?? '', 'hex')),
    };
    const funds = { outpoint: { txid, vout: 0 }, amount };
    const answers = {
      broken: await accepts(broken(at, funds)),
      whole: await accepts((whole ?? (() => pay({ from: alice, funds: [funds] })))(at, funds)),
    };
    expect(answers).toEqual(expected(name));
  });
});
