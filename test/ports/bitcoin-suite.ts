import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readTransaction } from '../../engine/adapters/bitcoin/raw.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import type { BitcoinPort, ChainCoin } from '../../engine/legs/onchain/port.ts';
import { htlcTests } from './bitcoin-htlcs.ts';
import { openPayer, type Payer } from './bitcoin-payer.ts';

/** What the tests do to the chain past the port. */
export interface BitcoinControls {
  /** Pays out of nothing, unconfirmed. */
  faucet(script: Uint8Array, amount: bigint): Promise<Outpoint>;
  /** Blocks on the tip, the first with what waits in the mempool. */
  mine(blocks: number): Promise<void>;
  /**
   * Replaces the newest blocks by a branch whose blocks are empty, or begin with `instead`. What was in them waits
   * again, unless an input of it went to `instead`.
   */
  reorg(depth: number, instead?: readonly Uint8Array[]): Promise<void>;
  /** What a full mempool asks for, in sats per virtual byte; left out where nobody can say so. */
  mempoolMinimum?(satPerVb: number): void;
  /** Whether a dearer transaction takes the place of one that does not signal replacement (BIP-125). */
  readonly replacesAll: boolean;
  /** Blocks until median time past is at a moment or just above it, in unix seconds. */
  reach(mtp: number): Promise<void>;
  /** The tip, and the times of it and the ten blocks below. */
  truth(): Promise<{ hash: string; height: number; times: readonly number[] }>;
}

export interface OpenBitcoin {
  readonly port: BitcoinPort;
  readonly controls: BitcoinControls;
  stop(): Promise<void>;
}

const regtestGenesis = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206';
const coinAmount = 1_000_000n;

/** What every endpoint of the Bitcoin chain must do, and how it says no. */
export function bitcoinPortSuite(name: string, open: () => Promise<OpenBitcoin>): void {
  describe(`the Bitcoin port: ${name}`, () => {
    let port: BitcoinPort;
    let controls: BitcoinControls;
    let stop: () => Promise<void> = async () => undefined;
    let people = 0;

    beforeAll(async () => {
      ({ port, controls, stop } = await open());
      since = await height();
    }, 60_000);
    afterAll(() => stop());

    /** No script of these tests was paid before them. */
    let since = 0;

    /** Another one in every test, with a coin. */
    async function payerWithCoin(): Promise<{ payer: Payer; coin: Outpoint }> {
      const payer = openPayer(`${name} ${people++}`);
      return { payer, coin: await controls.faucet(payer.script, coinAmount) };
    }

    function spending(
      payer: Payer,
      coin: Outpoint,
      fee = 1_000n,
      change: Parameters<Payer['pay']>[0] | object = {},
    ): { bytes: Uint8Array; txid: string; output: Outpoint } {
      const bytes = payer.pay({
        from: [{ outpoint: coin, amount: coinAmount }],
        to: [{ script: payer.script, amount: coinAmount - fee }],
        ...change,
      });
      const { txid } = readTransaction(bytes);
      return { bytes, txid, output: { txid, vout: 0 } };
    }

    async function coinsOf(payer: Payer): Promise<Omit<ChainCoin, 'script'>[]> {
      return (await port.coins([payer.script], since)).map(({ outpoint, amount, height }) => ({
        outpoint,
        amount,
        height,
      }));
    }

    async function height(): Promise<number> {
      return (await controls.truth()).height;
    }

    /** Servers hear of what happened a moment later. */
    async function soon(check: () => Promise<void>): Promise<void> {
      await vi.waitFor(check, { timeout: 60_000, interval: 20 });
    }

    test('the clock: genesis, the tip with its time, and the median of the last eleven times', async () => {
      expect(await port.genesis()).toBe(regtestGenesis);
      for (const blocks of [0, 1, 12]) {
        await controls.mine(blocks);
        const { hash, height: at, times } = await controls.truth();
        await soon(async () =>
          expect(await port.tip()).toEqual({
            hash,
            height: at,
            time: times[0],
            mtp: [...times].sort((a, b) => a - b)[5],
          }),
        );
      }
    });

    test('the clock follows a branch that replaces the newest blocks', async () => {
      const before = await port.tip();
      await controls.reorg(3);
      const { hash, height: at, times } = await controls.truth();
      await soon(async () =>
        expect(await port.tip()).toEqual({
          hash,
          height: at,
          time: times[0],
          mtp: [...times].sort((a, b) => a - b)[5],
        }),
      );
      expect(hash).not.toBe(before.hash);
    });

    test('a transaction is unknown, then waits, then is in a block, and waits again after a reorganisation', async () => {
      const { payer, coin } = await payerWithCoin();
      const { bytes, txid } = spending(payer, coin);
      expect(await port.transaction(txid)).toBe(null);
      expect(await port.broadcast(bytes)).toEqual({ is: 'accepted' });
      await soon(async () => expect(await port.transaction(txid)).toEqual({ bytes, height: null }));
      await controls.mine(1);
      const mined = await height();
      await controls.mine(1);
      await soon(async () => expect(await port.transaction(txid)).toEqual({ bytes, height: mined }));
      await controls.reorg(2);
      await soon(async () => expect(await port.transaction(txid)).toEqual({ bytes, height: null }));
      await controls.mine(1);
      const again = await height();
      await soon(async () => expect(await port.transaction(txid)).toEqual({ bytes, height: again }));
    });

    test("fault 179, bitcoin: a stranger's transaction is handed on, and shown while it waits", async () => {
      const { payer, coin } = await payerWithCoin();
      const { bytes, txid } = spending(payer, coin);
      expect(await port.glance(txid)).toBe(null);
      expect(await port.passOn(bytes)).toEqual({ is: 'accepted' });
      await soon(async () => expect(await port.glance(txid)).toEqual({ bytes, height: null }));
      expect(await port.passOn(bytes)).toEqual({ is: 'accepted' });
    });

    test('fault 179, bitcoin: what paid a script of ours is shown to strangers once it is in a block', async () => {
      const { payer, coin } = await payerWithCoin();
      const { bytes, txid } = spending(payer, coin);
      await coinsOf(payer);
      await port.passOn(bytes);
      await controls.mine(1);
      const mined = await height();
      await soon(async () => {
        await coinsOf(payer);
        expect(await port.glance(txid)).toEqual({ bytes, height: mined });
      });
    });

    test('coins of a script: waiting, confirmed, spent by what waits, and its change', async () => {
      const { payer, coin } = await payerWithCoin();
      expect(await port.coins([])).toEqual([]);
      expect(await port.coins([openPayer('nobody').script], since)).toEqual([]);
      await soon(async () =>
        expect(await coinsOf(payer)).toEqual([{ outpoint: coin, amount: sats(coinAmount), height: null }]),
      );
      await controls.mine(1);
      const mined = await height();
      await soon(async () =>
        expect(await coinsOf(payer)).toEqual([{ outpoint: coin, amount: sats(coinAmount), height: mined }]),
      );
      const other = await payerWithCoin();
      await soon(async () =>
        expect(
          (await port.coins([payer.script, other.payer.script], since)).map(({ outpoint, script }) => [
            outpoint,
            script,
          ]),
        ).toEqual([
          [coin, payer.script],
          [other.coin, other.payer.script],
        ]),
      );
      const { bytes, output } = spending(payer, coin);
      await port.broadcast(bytes);
      await soon(async () =>
        expect(await coinsOf(payer)).toEqual([{ outpoint: output, amount: sats(coinAmount - 1_000n), height: null }]),
      );
      await controls.mine(2);
      await soon(async () =>
        expect(await coinsOf(payer)).toEqual([
          { outpoint: output, amount: sats(coinAmount - 1_000n), height: mined + 1 },
        ]),
      );
      await controls.reorg(2);
      await soon(async () =>
        expect(await coinsOf(payer)).toEqual([{ outpoint: output, amount: sats(coinAmount - 1_000n), height: null }]),
      );
    });

    test('coins of a script of which nothing is known are found however old they are', async () => {
      const { payer, coin } = await payerWithCoin();
      await controls.mine(1);
      const mined = await height();
      await port.coins([payer.script]); // A node without an index reads its whole chain for this.
      await soon(async () =>
        expect(await port.coins([payer.script])).toMatchObject([
          { outpoint: coin, script: payer.script, amount: sats(coinAmount), height: mined },
        ]),
      );
    });

    test('fault 94, bitcoin: what was paid and spent before anybody asked for its script is no coin', async () => {
      const { payer, coin } = await payerWithCoin();
      const rival = await payerWithCoin();
      await controls.mine(1);
      const elsewhere = { script: openPayer('elsewhere').script, amount: coinAmount - 1_000n };
      const from = [{ outpoint: rival.coin, amount: coinAmount }];
      expect(await port.broadcast(rival.payer.pay({ from, to: [elsewhere] }))).toEqual({ is: 'accepted' });
      await controls.mine(2);
      const scripts = [payer.script, rival.payer.script];
      await soon(async () =>
        expect((await port.coins(scripts, since)).map(({ outpoint }) => outpoint)).toEqual([coin]),
      );
      // Only what the branch that replaces the block undoes waits again, and spends it still.
      await controls.reorg(2);
      await soon(async () =>
        expect((await port.coins(scripts, since)).map(({ outpoint }) => outpoint)).toEqual([coin]),
      );
    });

    test('fault 127, bitcoin: what paid a script is told, though it was spent before anybody asked', async () => {
      const { payer, coin } = await payerWithCoin();
      const paid = async (): Promise<boolean> =>
        (await port.payments?.(payer.script, since, {}))?.payments.some(
          ({ txid, amount, spent }) => txid === coin.txid && amount === coinAmount && spent,
        ) === true;
      const elsewhere = { script: openPayer('elsewhere').script, amount: coinAmount - 1_000n };
      await port.broadcast(payer.pay({ from: [{ outpoint: coin, amount: coinAmount }], to: [elsewhere] }));
      await controls.mine(2);
      await soon(async () => expect([await paid(), await port.coins([payer.script], since)]).toEqual([true, []]));
      expect(await port.payments?.(openPayer('nobody paid').script, since, {})).toEqual({ payments: [], over: true });
    });

    test('fault 94, bitcoin: change that was spent is no coin when its transaction is found by another script', async () => {
      const { payer, coin } = await payerWithCoin();
      await controls.mine(1);
      const [other, elsewhere] = [openPayer(`${name} other`).script, openPayer(`${name} elsewhere`).script];
      const half = coinAmount / 2n;
      const change = { script: payer.script, amount: half - 1_000n };
      const both = payer.pay({
        from: [{ outpoint: coin, amount: coinAmount }],
        to: [{ script: other, amount: half }, change],
      });
      await port.broadcast(both);
      await controls.mine(1);
      const { txid } = readTransaction(both);
      const from = [{ outpoint: { txid, vout: 1 }, amount: change.amount }];
      await port.broadcast(payer.pay({ from, to: [{ script: elsewhere, amount: change.amount - 1_000n }] }));
      await controls.mine(1);
      await soon(async () => expect(await port.coins([payer.script])).toEqual([]));
      await soon(async () =>
        expect((await port.coins([other], since)).map(({ outpoint }) => outpoint)).toEqual([{ txid, vout: 0 }]),
      );
      expect(await port.coins([payer.script])).toEqual([]);
    });

    test('a spend of an outpoint: none, waiting, in a block, and waiting again after a reorganisation', async () => {
      const { payer, coin } = await payerWithCoin();
      await controls.mine(1);
      expect(await port.spend(coin)).toBe(null);
      expect(await port.spend({ txid: '11'.repeat(32), vout: 0 })).toBe(null);
      const { bytes, txid } = spending(payer, coin);
      await port.broadcast(bytes);
      await soon(async () => expect(await port.spend(coin)).toEqual({ txid, height: null }));
      await controls.mine(1);
      const mined = await height();
      await soon(async () => expect(await port.spend(coin)).toEqual({ txid, height: mined }));
      await controls.reorg(1);
      await soon(async () => expect(await port.spend(coin)).toEqual({ txid, height: null }));
    });

    test('a spend that was mined before anybody asked for it is found', async () => {
      const { payer, coin } = await payerWithCoin();
      const { bytes, txid } = spending(payer, coin);
      await port.broadcast(bytes);
      await controls.mine(4);
      const mined = (await height()) - 3;
      // Whoever follows the chain has passed these blocks without knowing what to look for.
      await port.spend({ txid: '33'.repeat(32), vout: 0 });
      await port.coins([openPayer('passer-by').script], await height());
      await soon(async () =>
        expect([await port.spend(coin), await port.transaction(txid)]).toEqual([
          { txid, height: mined },
          { bytes, height: mined },
        ]),
      );
    });

    test('a broadcast of what is there already is accepted, waiting or mined, its outputs spent or not', async () => {
      const { payer, coin } = await payerWithCoin();
      const first = spending(payer, coin);
      expect([await port.broadcast(first.bytes), await port.broadcast(first.bytes)]).toEqual([
        { is: 'accepted' },
        { is: 'accepted' },
      ]);
      await controls.mine(1);
      await soon(async () => expect(await port.broadcast(first.bytes)).toEqual({ is: 'accepted' }));
      const second = payer.pay({
        from: [{ outpoint: first.output, amount: coinAmount - 1_000n }],
        to: [{ script: payer.script, amount: coinAmount - 2_000n }],
      });
      await port.broadcast(second);
      await controls.mine(1);
      await soon(async () => expect(await port.broadcast(first.bytes)).toEqual({ is: 'accepted' }));
    });

    test('an input that another transaction spends, waiting or mined, is told from one that nobody knows', async () => {
      const { payer, coin } = await payerWithCoin();
      const first = spending(payer, coin);
      const rival = spending(payer, coin, 1_001n);
      await port.broadcast(first.bytes);
      await soon(async () =>
        expect(await port.broadcast(rival.bytes)).toEqual({ is: 'spent', reason: expect.any(String) }),
      );
      await controls.mine(1);
      await soon(async () =>
        expect(await port.broadcast(rival.bytes)).toEqual({ is: 'spent', reason: expect.any(String) }),
      );
      const orphan = spending(payer, { txid: '22'.repeat(32), vout: 0 });
      expect(await port.broadcast(orphan.bytes)).toEqual({ is: 'later', reason: expect.any(String) });
    });

    test('a replacement that pays enough ousts the first one, and what that paid', async () => {
      const { payer, coin } = await payerWithCoin();
      const [loser, winner] = [openPayer(`${name} ${people++}`), openPayer(`${name} ${people++}`)];
      const first = spending(payer, coin, 1_000n, { to: [{ script: loser.script, amount: coinAmount - 1_000n }] });
      const better = spending(payer, coin, 5_000n, { to: [{ script: winner.script, amount: coinAmount - 5_000n }] });
      await port.broadcast(first.bytes);
      await soon(async () =>
        expect(await coinsOf(loser)).toEqual([
          { outpoint: first.output, amount: sats(coinAmount - 1_000n), height: null },
        ]),
      );
      expect(await port.broadcast(better.bytes)).toEqual({ is: 'accepted' });
      await soon(async () =>
        expect([await port.transaction(first.txid), await port.spend(coin)]).toEqual([
          null,
          { txid: better.txid, height: null },
        ]),
      );
      expect([await coinsOf(loser), await coinsOf(winner)]).toEqual([
        [],
        [{ outpoint: better.output, amount: sats(coinAmount - 5_000n), height: null }],
      ]);
      expect(await port.broadcast(first.bytes)).toEqual({ is: 'spent', reason: expect.any(String) });
    });

    test('a branch that begins with a rival leaves nothing of the first one', async () => {
      const { payer, coin } = await payerWithCoin();
      await controls.mine(1);
      const first = spending(payer, coin);
      const rival = spending(payer, coin, 1_001n);
      await port.broadcast(first.bytes);
      await controls.mine(1);
      await controls.reorg(1, [rival.bytes]);
      await soon(async () => {
        const spend = await port.spend(coin);
        expect([spend?.txid, await port.transaction(first.txid), (await port.transaction(rival.txid))?.height]).toEqual(
          [rival.txid, null, spend?.height],
        );
      });
      expect(await coinsOf(payer)).toEqual([
        { outpoint: rival.output, amount: sats(coinAmount - 1_001n), height: (await port.spend(coin))?.height },
      ]);
    });

    test('what time can heal is told from what never can', async () => {
      const { payer, coin } = await payerWithCoin();
      await controls.mine(1);
      const later = { is: 'later', reason: expect.any(String) };
      const refused = { is: 'refused', reason: expect.any(String) };
      const premature = spending(payer, coin, 1_000n, { lockTime: (await height()) + 2 });
      expect(await port.broadcast(premature.bytes)).toEqual(later);
      expect(await port.broadcast(spending(payer, coin, 1_000n, { sequence: 10 }).bytes)).toEqual(later);
      expect(await port.broadcast(spending(payer, coin, 1_000n, { imagined: 1n }).bytes)).toEqual(refused);
      expect(
        await port.broadcast(
          payer.pay({
            from: [{ outpoint: coin, amount: coinAmount }],
            to: [{ script: payer.script, amount: coinAmount + 1n }],
            imagined: 2n,
          }),
        ),
      ).toEqual(refused);
      expect(await port.broadcast(Uint8Array.of(1, 2, 3))).toEqual(refused);
      await controls.mine(2);
      await soon(async () => expect(await port.broadcast(premature.bytes)).toEqual({ is: 'accepted' }));
    });

    test('a transaction and its child are accepted together, however often, and each is told by itself', async () => {
      const { payer, coin } = await payerWithCoin();
      await controls.mine(1);
      const parent = spending(payer, coin);
      const child = payer.pay({
        from: [{ outpoint: parent.output, amount: coinAmount - 1_000n }],
        to: [{ script: payer.script, amount: coinAmount - 2_000n }],
      });
      const both = { parent: { is: 'accepted' }, child: { is: 'accepted' } };
      expect([
        await port.broadcastPackage(parent.bytes, child),
        await port.broadcastPackage(parent.bytes, child),
      ]).toEqual([both, both]);
      await controls.mine(1);
      await soon(async () => expect(await port.broadcastPackage(parent.bytes, child)).toEqual(both));
      const other = await payerWithCoin();
      await controls.mine(1);
      const good = spending(other.payer, other.coin);
      const wrong = spending(other.payer, good.output, 2_000n, { imagined: 1n });
      expect(await port.broadcastPackage(good.bytes, wrong.bytes)).toEqual({
        parent: { is: 'accepted' },
        child: { is: 'refused', reason: expect.any(String) },
      });
    });

    test('a parent below the minimum of a full mempool enters with a child that pays for it', async () => {
      if (controls.mempoolMinimum === undefined) return;
      const { payer, coin } = await payerWithCoin();
      await controls.mine(1);
      const parent = spending(payer, coin, 150n);
      const child = (fee: bigint) =>
        payer.pay({
          from: [{ outpoint: parent.output, amount: coinAmount - 150n }],
          to: [{ script: payer.script, amount: coinAmount - 150n - fee }],
        });
      controls.mempoolMinimum(20);
      try {
        const cheap = { is: 'later', reason: expect.any(String), cheap: true };
        expect(await port.broadcast(parent.bytes)).toEqual(cheap);
        expect((await port.broadcastPackage(parent.bytes, child(1_000n))).parent).toEqual(cheap);
        expect(await port.broadcastPackage(parent.bytes, child(6_000n))).toEqual({
          parent: { is: 'accepted' },
          child: { is: 'accepted' },
        });
      } finally {
        controls.mempoolMinimum(1);
      }
    });

    htlcTests(() => ({ port, controls, since, soon }));

    test('a fee rate is never below the relay floor', async () => {
      const rates = await Promise.all([1, 6, 144, 1_008].map((blocks) => port.feeRate(blocks)));
      expect(rates.every((rate) => Number.isFinite(rate) && rate >= 1 && rate < 1_000)).toBe(true);
    });
  });
}
