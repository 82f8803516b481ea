import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTransaction } from '../../engine/adapters/bitcoin/raw.ts';
import { readTx, witnessItems } from '../../engine/legs/psbt.ts';
import { bitcoinToArkade, htlcOf, type BitcoinCoin, type FromBitcoin } from '../stories/client/from-bitcoin.ts';
import { fundAlone } from '../stories/client/from-evm.ts';
import { text, whole, type Json } from '../stories/client/http.ts';
import { evmToBitcoin } from '../stories/client/to-bitcoin.ts';
import { termsOf, vhtlcOf, type Vhtlc } from '../stories/client/vhtlc.ts';
import { eventually } from '../stories/wire-node.ts';
import { handsOn, type BitcoinHands } from './kit/bitcoin-chain.ts';
import { offered, openBitcoinStage, type BitcoinStage } from './kit/bitcoin-stage.ts';
import { evmNames, startEvmChain, type EvmChainOfStage } from './kit/evm-chain.ts';
import { loseNode, type LostNode } from './kit/lost-node.ts';
import { onCore } from './kit/on-daemons.ts';

const receive = 100_000;
const purchase = 60_000;
/** Sats of the node's coins with the operator, and of those of its Bitcoin wallet. */
const atOperator = { count: 3, sats: 1_000_000n };
const inWallet = { count: 8, sats: 300_000n };
/** An address of BIP-173's test vectors with regtest's prefix: nobody here has its key. */
const away = {
  address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
  script: '0014751e76e8199196d454941c45d1b3a323f1433bd6',
};
const patienceMs = 120_000;
const limitMs = 600_000;

interface Paid {
  readonly swap: FromBitcoin;
  readonly coin: BitcoinCoin;
  readonly vhtlc: Vhtlc;
}

/** The coin of a VHTLC at the operator. */
type Coin = Pick<BitcoinCoin, 'txid' | 'vout'>;

onCore(
  'a node is lost, and its operator after it: words, a bundle and npm run rescue',
  () => {
    let evm: EvmChainOfStage;
    let stage: BitcoinStage;
    let btc: BitcoinHands;
    let lost: LostNode;
    /** Nobody claims the first VHTLC; the client takes the second once the node is dead. */
    let unclaimed: Paid;
    let claimable: Paid;
    let locked: Coin;
    let lockedCoin: Coin;
    /** Of our claim of the client's bitcoin. */
    let gained: bigint;

    async function paid(): Promise<Paid> {
      const swap = await bitcoinToArkade(stage.node.url, stage.arkade, { receive });
      const coin = await btc.pay(htlcOf(swap).script, BigInt(swap.price));
      return { swap, coin, vhtlc: vhtlcOf(termsOf(swap.record)) };
    }

    /** Sats of all coins whose way to the chain the node has saved. */
    function saved(): bigint {
      const db = new Database(join(stage.node.folder, 'sluice.db'), { readonly: true });
      try {
        const rows = db.prepare<[], { amount: number | bigint }>('SELECT amount FROM exit_coins').all();
        return rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
      } finally {
        db.close();
      }
    }

    async function lose(): Promise<void> {
      lost = await loseNode(stage.node, {
        under: stage.chain.folder,
        entropy: stage.entropy,
        bitcoin: stage.chain.node,
        settings: { arkade: { url: stage.operator.url }, evm: evm.config },
        mine: () => stage.chain.miner.mine(1),
      });
    }

    const isMined = async ({ txid }: Coin) => ((await btc.confirmations(txid)) ?? 0) > 0;

    beforeAll(async () => {
      evm = await startEvmChain();
      stage = await openBitcoinStage({ over: 'core', evm, exitable: atOperator.count });
      btc = handsOn(stage.chain);
      await stage.deposit(inWallet.sats, inWallet.count);
      await offered(stage, { source: 'Bitcoin', target: 'Arkade', sats: receive });
      await offered(stage, { source: String(evm.chainId), target: 'Bitcoin', sats: purchase });
      [unclaimed, claimable] = [await paid(), await paid()];
      await stage.chain.miner.mine(1);
      for (const { swap } of [unclaimed, claimable]) await stage.node.until(swap, 'serverfunded', patienceMs);
      const [vtxo] = await stage.arkade.unspent(unclaimed.vhtlc);
      lockedCoin = vtxo ?? expect.fail('the operator has no coin of ours');
      const ask = {
        chainId: evm.chainId,
        token: evm.tokenOf('WBTC'),
        gasless: false,
        amount: { amount_out: purchase },
      };
      const sold = await evmToBitcoin(stage.node.url, ask);
      await evm.give(sold.account.address, ask.token, 2n * sold.price);
      await evm.give(sold.account.address, evm.coin, 10n ** 18n);
      await fundAlone(stage.node.url, sold, evm.rpcUrl, Math.floor(Date.now() / 1_000) + 3_600);
      const record: Json = await stage.node.until(sold, 'serverfunded', patienceMs);
      locked = { txid: text(record, 'btc_fund_txid'), vout: whole(record, 'btc_fund_vout') };
      await stage.chain.miner.mine(1);
      await eventually(
        async () => saved(),
        (sum) => sum === BigInt(atOperator.count) * atOperator.sats,
        patienceMs,
      );
      // The bundle follows within a quarter of a second.
      await pause(1_500);
      await lose();
    }, limitMs);
    afterAll(async () => {
      await stage?.stop();
      await evm?.stop();
    });

    test(
      'what its client took is claimed by the bundle, and again once a reorganisation takes that back',
      async () => {
        await stage.arkade.claim(claimable.vhtlc, claimable.swap.secret);
        const first = await lost.rescue();
        const claim = await btc.waitingSpend(claimable.coin);
        expect([first.code, claim], first.out).toEqual([1, expect.any(String)]);
        await stage.chain.miner.mine(1);
        await btc.reorg(1);
        await btc.forget();
        expect(await btc.mempool()).toEqual([]);
        const second = await lost.rescue();
        const again = (await btc.waitingSpend(claimable.coin)) ?? expect.fail(second.out);
        const [output] = readTransaction(await btc.bytes(again)).outputs;
        gained = output?.amount ?? 0n;
        expect([second.code, BigInt(claimable.swap.price) - gained < 1_000n], second.out).toEqual([1, true]);
        await stage.chain.miner.mine(6);
      },
      limitMs,
    );

    test(
      'with the operator killed, what was locked comes over the chain, by a reorg and a dead bitcoind',
      async () => {
        const life = stage.operator.life ?? expect.fail('it is not ours to kill');
        await life.kill();
        const now = Math.floor(Date.now() / 1_000);
        await stage.chain.miner.warp(whole(unclaimed.swap.record, 'vhtlc_refund_locktime') - now + 120);
        const without = await lost.rescue('--operator-gone');
        // The HTLC that we funded on Bitcoin is ours again by its locktime, and hangs on nobody.
        expect(await btc.waitingSpend(locked), without.out).toEqual(expect.any(String));
        await lost.rescueUntil(() => isMined(lockedCoin), '--operator-gone');
        await btc.reorg(3);
        await btc.forget();
        expect(await isMined(lockedCoin)).toBe(false);
        const there = await lost.rescueUntil(async () => isMined(lockedCoin), '--operator-gone');
        const early = await lost.rescue('--operator-gone');
        expect(early.out, there.out).toMatch(/its delay of \d+ seconds has to pass/);
        await stage.chain.miner.warp((await stage.chain.miner.medianTime()) - now + 4_608 + 60);
        const sent = await lost.rescue('--operator-gone');
        const refund = readTx(await btc.bytes(await btc.spender(lockedCoin))) ?? expect.fail(sent.out);
        // The last of the six leaves: our key alone, after the longest delay.
        expect(witnessItems(refund, 0).at(-2)).toEqual(unclaimed.vhtlc.script.scripts.at(-1));
      },
      limitMs,
    );

    test(
      'all that its wallets had goes to one address of the owner, and nothing is missing but fees',
      async () => {
        const home = await lost.rescueUntil(async ({ code }) => code === 0, '--operator-gone', '--to', away.address);
        await stage.chain.miner.mine(1);
        const arrived = await paidTo(away.script);
        const had = BigInt(atOperator.count) * atOperator.sats + BigInt(inWallet.count) * inWallet.sats;
        const fees = had - BigInt(receive) + gained - arrived;
        expect([fees > 0n, fees < 100_000n, home.out], `${fees} sats are missing`).toEqual([
          true,
          true,
          expect.stringMatching(/sats/),
        ]);
      },
      limitMs,
    );

    async function paidTo(script: string): Promise<bigint> {
      let sum = 0n;
      for (let height = await stage.chain.height(), depth = 0; depth < 3; depth++) {
        const hash = await stage.chain.node.rpc.call<string>('getblockhash', height - depth);
        const { tx } = await stage.chain.node.rpc.call<{
          tx: { vout: { value: number; scriptPubKey: { hex: string } }[] }[];
        }>('getblock', hash, 2);
        for (const { vout } of tx)
          for (const { value, scriptPubKey } of vout)
            if (scriptPubKey.hex === script) sum += BigInt(Math.round(value * 1e8));
      }
      return sum;
    }
  },
  [evmNames.anvil, 'the Arkade operator of the sandbox'],
);
