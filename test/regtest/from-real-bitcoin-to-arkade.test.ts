import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { connectArkade } from '../../engine/adapters/arkade/connect.ts';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { readTransaction } from '../../engine/adapters/bitcoin/raw.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { unix } from '../../engine/domain/time.ts';
import { balanceAt } from '../crash/support/wallet.ts';
import { openPayer } from '../ports/bitcoin-payer.ts';
import {
  bitcoinToArkade,
  htlcOf,
  refundOf,
  type BitcoinCoin,
  type FromBitcoin,
} from '../stories/client/from-bitcoin.ts';
import { termsOf, vhtlcOf } from '../stories/client/vhtlc.ts';
import { text, type Json } from '../stories/client/http.ts';
import { eventually } from '../stories/wire-node.ts';
import { handsOn, type BitcoinHands } from './kit/bitcoin-chain.ts';
import { allLocktimes, offered, openBitcoinStage, type BitcoinStage } from './kit/bitcoin-stage.ts';
import { raiseFees } from './kit/dear-fees.ts';
import { onEachBitcoin } from './kit/on-daemons.ts';
import { replayed } from './kit/replay.ts';

const receive = 100_000;
/** Of a claim by the witness script or by the leaf, in virtual bytes. */
const claimSize = 150;
const patienceMs = 120_000;
const limitMs = 300_000;
/** Of fundings one has six confirmations, the next five; a claim with six is buried. */
const deepest = 6;

/** Where the bitcoin is to be paid, and how much of it. */
interface Opened extends FromBitcoin {
  readonly script: Uint8Array;
  readonly due: bigint;
}

interface Paid {
  readonly swap: Opened;
  readonly coin: BitcoinCoin;
}

onEachBitcoin('from real Bitcoin to Arkade', (over) => {
  let stage: BitcoinStage;
  let btc: BitcoinHands;
  let before: bigint;
  /** Height from which on blocks are of this story. */
  let begun: number;
  /** Three in each form, funded and claimed in blocks of their own. */
  let layers: Paid[];
  let rival: Paid;
  let twice: Paid;
  let short: Paid;
  let unclaimed: Paid[];
  const claimed: Opened[] = [];
  const payer = openPayer('a client with second thoughts');
  const home = openPayer('where refunds go').script;

  const ready = () => offered(stage, { source: 'Bitcoin', target: 'Arkade', sats: receive });
  async function opened(): Promise<Opened> {
    const swap = await bitcoinToArkade(stage.node.url, stage.arkade, { receive });
    return { ...swap, script: htlcOf(swap).script, due: BigInt(swap.price) };
  }

  const view = ({ swap }: Pick<Paid, 'swap'>) => stage.node.owner('GET', `/owner/swaps/${swap.id}`);
  const reached = (paid: Pick<Paid, 'swap'>, status: string) => stage.node.until(paid.swap, status, patienceMs);
  const pay = async (swap: Opened, amount = swap.due): Promise<Paid> => ({
    swap,
    coin: await btc.pay(swap.script, amount),
  });

  async function eachIs(all: readonly Paid[], test: (view: Json) => boolean): Promise<void> {
    for (const one of all) await eventually(() => view(one), test, patienceMs);
  }

  /** A payment of the payer's that it may pay otherwise later. */
  function paidBy(coin: BitcoinCoin, to: Uint8Array, amount: bigint, fee: bigint): Uint8Array {
    const change = { script: payer.script, amount: coin.amount - amount - fee };
    return payer.pay({
      from: [{ outpoint: coin, amount: coin.amount }],
      to: amount === 0n ? [change] : [{ script: to, amount }, change],
    });
  }

  async function claim({ swap }: Paid): Promise<void> {
    await stage.arkade.claim(vhtlcOf(termsOf(swap.record)), swap.secret);
    claimed.push(swap);
  }

  async function arkadeOf(script: Uint8Array): Promise<bigint> {
    const now = () => unix(Math.floor(Date.now() / 1_000));
    const port = connectArkade(stage.operator.url, {
      keys: createKeys(randomBytes(64), 'regtest').privateKey,
      clock: { wall: now, mtp: now },
      network: 'regtest',
    });
    return balanceAt(port, script);
  }

  beforeAll(async () => {
    stage = await openBitcoinStage({ over });
    btc = handsOn(stage.chain);
    begun = (await stage.chain.height()) + 1;
    before = await arkadeOf(stage.nodeScript);
    await ready();
    const witness = [await opened(), await opened(), await opened(), await opened(), await opened(), await opened()];
    stage.configure({ bitcoin: { htlcForm: 'p2tr' } });
    await stage.node.restart('SIGKILL');
    await ready();
    const taproot = [await opened(), await opened(), await opened(), await opened(), await opened()];
    expect([witness, taproot].map((all) => all.map(({ script }) => script[0]))).toEqual([
      witness.map(() => 0),
      taproot.map(() => 0x51),
    ]);
    const [w, t]: [Opened[], Opened[]] = [witness, taproot];
    layers = [];
    const one = (of: Opened[]) => of.shift() ?? expect.fail('too few swaps');
    unclaimed = [await pay(one(w)), await pay(one(t))];
    twice = await pay(one(w));
    const wrong = one(t);
    short = await pay(wrong, wrong.due - 1n);
    await stage.chain.miner.mine(1);
    const purse = await btc.pay(payer.script, 1_000_000n);
    await stage.chain.miner.mine(1);
    const sunk = one(w);
    const txid = await btc.send(paidBy(purse, sunk.script, sunk.due, 500n));
    rival = { swap: sunk, coin: { txid, vout: 0, amount: sunk.due } };
    for (const swap of [...w, ...t]) {
      layers.push(await pay(swap));
      await stage.chain.miner.mine(1);
    }
    expect(layers).toHaveLength(deepest);
  }, limitMs);
  afterAll(() => stage?.stop());

  test(
    'both forms: fundings with one to six confirmations vanish, and are claimed when they come again',
    async () => {
      for (const one of [...layers, rival, twice, ...unclaimed]) await reached(one, 'serverfunded');
      await reached(short, 'clientinvalidfunded');
      const fundings = await Promise.all(layers.map(({ coin }) => btc.bytes(coin.txid)));
      const purse = readTransaction(await btc.bytes(rival.coin.txid)).inputs[0] ?? expect.fail('nothing paid it');
      // One of the clients pays itself instead, in the branch that takes the others' fundings away.
      await btc.reorg(deepest, [paidBy({ ...purse, amount: 1_000_000n }, home, 0n, 800n)]);
      await btc.forget();
      expect(await btc.mempool()).toEqual([]);
      await eachIs([...layers, rival], ({ progress }) => (progress as Json)['gone'] === true);
      // Whoever has our VHTLC claims it, whether its own coin is there or not.
      const [early = rival, ...others] = layers;
      await claim(early);
      await reached(early, 'clientredeemed');
      await stage.node.kill('SIGKILL');
      for (const bytes of fundings) await btc.send(bytes);
      await stage.chain.miner.mine(1);
      await stage.node.start();
      for (const one of others) await claim(one);
      for (const { coin } of layers) await btc.spender(coin);
    },
    limitMs,
  );

  test(
    'claims of up to five confirmations vanish, and are sent again by a node that was killed',
    async () => {
      const mined = layers.slice(1);
      const claims: string[] = [];
      for (const { coin } of layers) claims.push(await btc.spender(coin));
      for (const txid of claims.slice(1)) await btc.mineOnly(txid);
      for (const one of mined) await reached(one, 'serverredeemed');
      await btc.reorg(mined.length);
      // It starts while its Bitcoin node is down.
      await btc.forget(() => stage.node.restart('SIGKILL'));
      // The node may have sent some again already.
      expect((await btc.mempool()).filter((txid) => !claims.includes(txid))).toEqual([]);
      for (const { coin } of layers) await btc.spender(coin);
      await stage.chain.miner.mine(6);
      await eachIs(layers, ({ at }) => at === 'claimed');
      for (const { swap, coin } of layers) {
        const { status, ...record } = await stage.node.get(`/swap/${swap.id}`);
        const claim = text(record, 'btc_claim_txid');
        expect([status, record['btc_fund_txid'], await btc.confirmations(claim)]).toEqual([
          'serverredeemed',
          coin.txid,
          6,
        ]);
        expect(readTransaction(await btc.bytes(claim)).inputs).toMatchObject([{ txid: coin.txid, vout: coin.vout }]);
      }
    },
    limitMs,
  );

  test(
    'only what is mined counts as funding, and what claims it pays as much as the chain asks for',
    async () => {
      await ready();
      const swap = await opened();
      const purse = await btc.pay(payer.script, 1_000_000n);
      await stage.chain.miner.mine(1);
      await btc.send(paidBy(purse, swap.script, swap.due, 500n));
      await reached({ swap }, 'clientfundingseen');
      await btc.send(paidBy(purse, home, 0n, 2_000n));
      await reached({ swap }, 'pending');
      const back = readTransaction(paidBy(purse, home, 0n, 2_000n));
      const change = { txid: back.txid, vout: 0, amount: 998_000n };
      const second = await btc.send(paidBy(change, swap.script, swap.due, 500n));
      await stage.chain.miner.mine(1);
      const { btc_fund_txid: fund } = await reached({ swap }, 'serverfunded');
      expect(fund).toBe(second);
      const paid = { swap, coin: { txid: second, vout: 0, amount: swap.due } };
      await claim(paid);
      // While our claim waits, fees rise: it is replaced, and what is mined pays what the chain asks for.
      // One that was replaced since has none.
      const fee = async () => btc.feeOf(await btc.spender(paid.coin)).catch(() => 0n);
      const rate = async () => Number(await fee()) / claimSize;
      expect(await rate()).toBeLessThan(4);
      await raiseFees(stage.chain, 9n, 1);
      await eventually(rate, (now) => now > 8, patienceMs);
      await stage.chain.miner.mine(6);
      await eachIs([paid], ({ at }) => at === 'claimed');
    },
    limitMs,
  );

  test(
    'a second coin is the client’s, and what nobody claims comes back to both above its locktime',
    async () => {
      const extra = await btc.pay(twice.swap.script, twice.swap.due);
      await stage.chain.miner.mine(1);
      await claim(twice);
      await btc.spender(twice.coin);
      await stage.chain.miner.mine(6);
      await eachIs([twice], ({ at }) => at === 'claimed');
      const refundable = [short, ...unclaimed, { swap: twice.swap, coin: extra }];
      const refunds = refundable.map(({ swap, coin }) => fromHex(refundOf(swap, coin)));
      for (const bytes of refunds) await expect(btc.send(bytes)).rejects.toThrow(/not finalized|non-final/);
      await stage.chain.miner.warp(allLocktimes);
      for (const one of [...unclaimed, rival]) await reached(one, 'clientfundedserverrefunded');
      for (const bytes of refunds) await btc.send(bytes);
      await stage.chain.miner.mine(1);
      await reached(short, 'clientrefunded');
      for (const one of unclaimed) await reached(one, 'clientrefundedserverrefunded');
      expect(await btc.waitingSpend(extra)).toBeNull();
    },
    limitMs,
  );

  test('every claim paid the wallet, and not one satoshi is unaccounted for', async () => {
    let [got, paid] = [0n, 0n];
    for (const { id, due } of claimed) {
      const { btc_claim_txid: txid } = await stage.node.get(`/swap/${id}`);
      const [output] = readTransaction(await btc.bytes(String(txid))).outputs;
      const { ledger } = await stage.node.owner('GET', `/owner/swaps/${id}`);
      const cost = (ledger as Json[]).find(({ kind }) => kind === 'network-fee-paid');
      expect(BigInt(text(cost ?? {}, 'amount'))).toBe((output?.amount ?? 0n) - due);
      got += output?.amount ?? 0n;
      paid += BigInt(receive);
    }
    // What is mined shows in the wallet at the node's next look.
    await vi.waitFor(
      async () => {
        const { balances } = await stage.node.owner('GET', '/owner/balances');
        expect({
          wallet: (balances as Json[]).find(({ network }) => network === 'bitcoin'),
          client: BigInt(await stage.arkade.balance()),
          node: await arkadeOf(stage.nodeScript),
        }).toMatchObject({ wallet: { available: String(got), pending: '0' }, client: paid, node: before - paid });
      },
      { timeout: 60_000, interval: 500 },
    );
  });

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
