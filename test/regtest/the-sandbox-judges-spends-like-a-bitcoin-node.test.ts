import { afterAll, beforeAll, expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { spendRows } from '../sandbox/bitcoin-spend-table.ts';
import { spent } from '../sandbox/bitcoin-spends.ts';
import { startChain, type Chain } from './kit/chain.ts';
import { judgesOn, type Verdicts } from './kit/judges.ts';
import { onEachBitcoin } from './kit/on-daemons.ts';

const amount = 1_000_000n;

onEachBitcoin('the sandbox and a real Bitcoin node', (over) => {
  let chain: Chain;
  let verdicts: ReadonlyMap<string, Verdicts>;

  /** All of them on one chain: their coins are paid in one block, and an hour passes. */
  beforeAll(async () => {
    chain = await startChain({ over });
    const { txid } = await chain.faucet.pay(spendRows.map(({ way }) => ({ to: way.pkScript, amount })));
    await chain.miner.mine(1);
    const height = await chain.height();
    await chain.miner.warp(3_600);
    const answers = await judgesOn(() => chain.node.rpc)(
      spendRows.map(({ way, how }, vout) => ({
        bytes: spent(way, how, { outpoint: { txid, vout }, amount }),
        coins: [{ outpoint: { txid, vout }, amount: sats(amount), script: way.pkScript, height, coinbase: false }],
      })),
    );
    verdicts = new Map(spendRows.map(({ name }, i) => [name, answers[i] ?? expect.fail('no answer')]));
  }, 60_000);
  afterAll(() => chain?.stop());

  test.each(spendRows)('$name', ({ name, holds }) => {
    expect(verdicts.get(name)).toEqual({ node: holds, sandbox: holds });
  });
});
