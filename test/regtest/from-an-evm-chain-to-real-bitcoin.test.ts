import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTransaction } from '../../engine/adapters/bitcoin/raw.ts';
import { collabRefund, fundAlone, fundGasless, signedRefund } from '../stories/client/from-evm.ts';
import { text, whole, type Json } from '../stories/client/http.ts';
import { claimOf, evmToBitcoin, type ToBitcoin } from '../stories/client/to-bitcoin.ts';
import { eventually } from '../stories/wire-node.ts';
import { handsOn, type BitcoinHands } from './kit/bitcoin-chain.ts';
import { allLocktimes, offered, openBitcoinStage, type BitcoinStage } from './kit/bitcoin-stage.ts';
import { raiseFees } from './kit/dear-fees.ts';
import { startEvmChain, type EvmChainOfStage } from './kit/evm-chain.ts';
import { onEachPair } from './kit/on-daemons.ts';
import { replayed } from './kit/replay.ts';

const receive = 60_000;
const patienceMs = 120_000;
const limitMs = 300_000;
/** One waits for its first block; the others have one to five confirmations. */
const deepest = 5;
const coins = { amount: 300_000n, count: 16 };

interface Funded {
  readonly swap: ToBitcoin;
  readonly record: Json;
  readonly fund: string;
}

onEachPair('from an EVM chain to real Bitcoin', ({ bitcoin, evm: kindOfEvm }) => {
  let evm: EvmChainOfStage;
  let stage: BitcoinStage;
  let btc: BitcoinHands;
  /** Height from which on blocks are of this story. */
  let begun: number;
  let layers: Funded[];
  let unclaimed: Funded[];
  const paid: ToBitcoin[] = [];

  const ready = () => offered(stage, { source: String(evm.chainId), target: 'Bitcoin', sats: receive });
  const soon = (): number => Math.floor(Date.now() / 1_000) + 3_600;
  const output = ({ record }: Funded) => ({
    txid: text(record, 'btc_fund_txid'),
    vout: whole(record, 'btc_fund_vout'),
  });
  const claim = (one: Funded, fee?: bigint) => btc.send(claimOf(one.swap, one.record, BigInt(receive), fee));

  async function locked(gasless: boolean): Promise<ToBitcoin> {
    const token = evm.tokenOf(gasless ? 'USDC' : 'WBTC');
    const ask = { chainId: evm.chainId, token, gasless, amount: { amount_out: receive } };
    const swap = await evmToBitcoin(stage.node.url, ask);
    await evm.give(swap.account.address, token, 2n * swap.price);
    if (gasless) {
      await eventually(
        () => fundGasless(stage.node.url, swap, soon()),
        ({ status }) => status === 200,
        patienceMs,
      );
    } else {
      await evm.give(swap.account.address, evm.coin, 10n ** 18n);
      await fundAlone(stage.node.url, swap, evm.rpcUrl, soon());
    }
    return swap;
  }

  /** Swaps whose HTLCs we funded, in the mempool. */
  async function funded(count: number): Promise<Funded[]> {
    const swaps = await Promise.all(Array.from({ length: count }, (_, i) => locked(i > 0)));
    paid.push(...swaps);
    return Promise.all(
      swaps.map(async (swap) => {
        const record = await stage.node.until(swap, 'serverfunded', patienceMs);
        return { swap, record, fund: text(record, 'btc_fund_txid') };
      }),
    );
  }

  async function over(all: readonly Funded[], state = 'claimed'): Promise<void> {
    for (const { swap } of all)
      await eventually(
        () => stage.node.owner('GET', `/owner/swaps/${swap.id}`),
        ({ at }) => at === state,
        patienceMs,
      );
  }

  beforeAll(async () => {
    evm = await startEvmChain(kindOfEvm);
    stage = await openBitcoinStage({ over: bitcoin, evm });
    btc = handsOn(stage.chain);
    begun = (await stage.chain.height()) + 1;
    await stage.deposit(coins.amount, coins.count);
    await ready();
    [layers, unclaimed] = await funded(deepest + 3).then((all) => [all.slice(0, deepest + 1), all.slice(deepest + 1)]);
  }, limitMs);
  afterAll(async () => {
    await stage?.stop();
    await evm?.stop();
  });

  test(
    'fundings of up to five confirmations vanish, and are sent again as they were',
    async () => {
      for (const { fund } of unclaimed) await btc.mineOnly(fund);
      for (const { fund } of layers.slice(1)) await btc.mineOnly(fund);
      await btc.reorg(deepest);
      // It starts while its Bitcoin node is down.
      await btc.forget(() => stage.node.restart('SIGKILL'));
      // The node may have sent some again already.
      expect((await btc.mempool()).filter((txid) => !layers.some(({ fund }) => fund === txid))).toEqual([]);
      await eventually(btc.mempool, (ids) => layers.every(({ fund }) => ids.includes(fund)), patienceMs);
      // What anybody else pays to the script is not ours, and changes nothing.
      const [first] = layers as [Funded];
      const { outputs } = readTransaction(await btc.bytes(first.fund));
      await btc.pay(outputs[0]?.script ?? new Uint8Array(), BigInt(receive));
    },
    limitMs,
  );

  test(
    'claims of up to five confirmations vanish, and are sent again by a node that was killed',
    async () => {
      const claims: string[] = [];
      for (const one of layers) claims.push(await claim(one));
      for (const { swap } of layers) await stage.node.until(swap, 'serverredeemed', patienceMs);
      // One client raises the fee of its claim once it was seen.
      claims[2] = await claim(layers[2] as Funded, 2_000n);
      await btc.mineOnly(...layers.map(({ fund }) => fund), claims[1] ?? '');
      for (const txid of claims.slice(2)) await btc.mineOnly(txid);
      await btc.reorg(deepest);
      await stage.node.kill('SIGKILL');
      await btc.forget();
      expect(await btc.mempool()).toEqual([]);
      await stage.node.start();
      for (const one of layers) await btc.spender(output(one));
      await stage.chain.miner.mine(6);
      await over(layers);
      for (const { swap } of layers) {
        const record = await stage.node.get(`/swap/${swap.id}`);
        expect([record['status'], await btc.confirmations(text(record, 'btc_claim_txid'))]).toEqual([
          'serverredeemed',
          6,
        ]);
      }
      await eventually(
        () => stage.node.owner('GET', '/owner/swaps?open=true'),
        ({ swaps }) => (swaps as Json[]).length === unclaimed.length,
        patienceMs,
      );
    },
    limitMs,
  );

  test(
    'a funding that waits while fees rise is pushed by a child of its change, and never replaced',
    async () => {
      await ready();
      const [one] = (await funded(1)) as [Funded];
      await raiseFees(stage.chain, 12n, 3);
      const rate = async (): Promise<number> => {
        const child = await btc.spender({ txid: one.fund, vout: 1 });
        const rows = await stage.chain.node.rpc.call<Record<string, { vsize: number }>>('getrawmempool', true);
        // A child that was replaced since is none.
        const [parent, pushing] = [rows[one.fund], rows[child]];
        if (parent === undefined || pushing === undefined) return 0;
        const fees = (await btc.feeOf(one.fund)) + (await btc.feeOf(child).catch(() => 0n));
        return Number(fees) / (parent.vsize + pushing.vsize);
      };
      await eventually(rate, (now) => now > 11, patienceMs);
      await claim(one);
      await stage.node.until(one.swap, 'serverredeemed', patienceMs);
      await stage.chain.miner.mine(6);
      await over([one]);
      expect(await btc.confirmations(one.fund)).toBe(6);
    },
    limitMs,
  );

  test(
    'the lock of what nobody claims goes back once our refund is buried, and not before',
    async () => {
      for (const { swap } of unclaimed) await expect(signedRefund(stage.node.url, swap)).rejects.toThrow(/403/);
      await stage.chain.miner.warp(allLocktimes);
      const refunds: string[] = [];
      for (const one of unclaimed) refunds.push(await btc.spender(output(one)));
      await stage.chain.miner.mine(deepest);
      await btc.reorg(deepest);
      await btc.forget();
      for (const one of unclaimed) await btc.spender(output(one));
      for (const { swap } of unclaimed) {
        expect(await stage.node.get(`/swap/${swap.id}`)).toMatchObject({ status: 'serverfunded' });
        await expect(signedRefund(stage.node.url, swap)).rejects.toThrow(/403/);
      }
      await stage.chain.miner.mine(6);
      for (const { swap } of unclaimed) {
        await stage.node.until(swap, 'clientfundedserverrefunded', patienceMs);
        const answer = await collabRefund(stage.node.url, swap, await signedRefund(stage.node.url, swap));
        expect(answer.status).toBe(200);
      }
      for (const { swap } of unclaimed) {
        await stage.node.until(swap, 'clientrefundedserverrefunded', patienceMs);
        expect(await evm.balance(evm.pegged, swap.account.address)).toBeGreaterThanOrEqual(
          BigInt(text(swap.record, 'evm_expected_sats')),
        );
      }
    },
    limitMs,
  );

  test(
    'not one unit of a token nor a satoshi is unaccounted for',
    async () => {
      const account = text(paid[0]?.record ?? {}, 'server_evm_address');
      const books = async () => {
        let [cost, gained, given] = [0n, 0n, 0n];
        for (const { id } of paid) {
          const { ledger, at } = await stage.node.owner('GET', `/owner/swaps/${id}`);
          for (const { kind, network, amount } of ledger as Json[])
            if (kind === 'network-fee-paid' && network === 'bitcoin') cost -= BigInt(String(amount));
          if (at !== 'claimed') continue;
          given += BigInt(receive);
          gained += BigInt(text(await stage.node.get(`/swap/${id}`), 'evm_expected_sats'));
        }
        const { balances } = await stage.node.owner('GET', '/owner/balances');
        // Left out while it was not read yet.
        const wallet = (balances as Json[]).find(({ network }) => network === 'bitcoin') ?? {
          available: '-1',
          pending: '-1',
        };
        return {
          wrong: {
            bitcoin: BigInt(text(wallet, 'available')) - (coins.amount * BigInt(coins.count) - given - cost),
            pending: BigInt(text(wallet, 'pending')),
            tokens: (await evm.balance(evm.pegged, account)) - gained,
            htlc: await evm.balance(evm.pegged, evm.htlc),
            coordinator: await evm.balance(evm.pegged, evm.coordinator),
          },
          given,
        };
      };
      // What is mined shows in the wallet and in the ledger at the node's next looks.
      const { given } = await eventually(
        books,
        ({ wrong }) => Object.values(wrong).every((by) => by === 0n),
        patienceMs,
      );
      expect(given).toBeGreaterThan(0n);
    },
    limitMs,
  );

  test(
    'every spend of this story, as it was and spoilt, is judged by the sandbox as by the Bitcoin node',
    async () => {
      const { mined, spoilt, differences } = await replayed(stage.chain, begun);
      expect(differences).toEqual([]);
      expect([mined > 20, spoilt >= 4 * mined]).toEqual([true, true]);
    },
    limitMs,
  );
});
