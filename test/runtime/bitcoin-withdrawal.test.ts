import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { sats, tokenAmount } from '../../engine/domain/money.ts';
import type { SavedSend } from '../../engine/legs/onchain/wallet-port.ts';
import { accepted, costOf, deposit, inMempool, paidOut, payee, scriptOf, withdraw } from '../support/bitcoin-wallet.ts';
import { startNodeOn } from '../support/node.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { reject } from '../../engine/sandbox/world/bitcoin/rejection.ts';
import { openPayer } from '../ports/bitcoin-payer.ts';

/** P2TR of another key of nobody's, by BIP-350's test vectors. */
const elsewhere = 'bcrt1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqc8gma6';
const patience = { timeout: 60_000, interval: 20 };

let scene: Scene;

beforeEach(async () => {
  scene = await openScene({ bitcoinWallet: true, pollMs: 25 });
});
afterEach(() => scene.end());

describe("a withdrawal from the owner's Bitcoin wallet", () => {
  test('of more than is confirmed, of dust, or to a foreign address is refused in one sentence', async () => {
    await deposit(scene, 50_000);
    const refusals = await Promise.all(
      (
        [
          [payee, 60_000],
          [payee, 49_999],
          [payee, 293],
          ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 1_000],
          ['nonsense', 1_000],
        ] as const
      ).map(([address, amount]) => withdraw(scene, amount, address).catch((cause: Error) => cause.message)),
    );
    expect(refusals).toEqual([
      'amount is 60000 sats; 50000 are confirmed and free: send less, or wait for confirmations.',
      expect.stringMatching(
        /^Nothing was sent: The Bitcoin wallet can send 499\d\d sats from its confirmed coins at 1 sats per vbyte, 49999 were asked for/,
      ),
      'amount is 293 sats, the least that is relayed to this address is 294: send more.',
      'address is not a Bitcoin address of regtest: look for a missing or wrong letter, and for the network it ' +
        'was made on.',
      'address is not a Bitcoin address of regtest: look for a missing or wrong letter, and for the network it ' +
        'was made on.',
    ]);
    expect([await paidOut(scene), inMempool(scene)]).toEqual([[], []]);
  });

  test('is refused, as a deposit is, while there is no wallet', async () => {
    await scene.restart({ bitcoinWallet: true, without: ['bitcoin'] });
    const { owner } = scene.node.service;
    const refused = { refusal: 'unavailable', sentence: expect.stringMatching(/connect/) };
    expect([
      await owner.walletAddress('bitcoin', { asset: null, amount: null }),
      await owner.withdraw('bitcoin', { address: payee, amount: tokenAmount(1_000), asset: null }),
    ]).toMatchObject([refused, refused]);
  });

  test('two at once take different coins', async () => {
    await deposit(scene, 100_000, 100_000);
    const [one, two] = await Promise.all([withdraw(scene, 80_000), withdraw(scene, 70_000)]);
    await vi.waitFor(
      () => expect(inMempool(scene).toSorted()).toEqual([one.transaction, two.transaction].toSorted()),
      patience,
    );
    await scene.world.mine(6);
    await Promise.all([one, two].map(({ id }) => scene.node.until(id, 'sent')));
    expect((await paidOut(scene)).toSorted()).toEqual([70_000n, 80_000n]);
  });

  test('of all that there is leaves nothing in the wallet, and cannot be asked for elsewhere', async () => {
    await deposit(scene, 300_000, 50_000, 20_000);
    const all = (network: 'bitcoin' | 'arkade') =>
      scene.node.service.owner.withdraw(network, { address: payee, amount: 'all', asset: null });
    expect(await all('arkade')).toMatchObject({ refusal: 'invalid' });
    const { id } = accepted(await all('bitcoin'));
    await vi.waitFor(() => expect(inMempool(scene)).toHaveLength(1), patience);
    await scene.world.mine(6);
    await scene.node.until(id, 'sent');
    const [paid = 0n] = await paidOut(scene);
    expect(paid + costOf(scene.world, scene.node, id)).toBe(370_000n);
    expect(await all('bitcoin')).toMatchObject({ refusal: 'forbidden' });
  });

  test('whose fee the owner raises is replaced, and counts whichever is mined', async () => {
    await deposit(scene, 300_000);
    const { id, transaction } = await withdraw(scene, 100_000);
    await vi.waitFor(() => expect(inMempool(scene)).toEqual([transaction]), patience);
    expect(scene.node.service.owner.bump(id)).toEqual({ at: 'raising' });
    await vi.waitFor(
      () => expect([inMempool(scene).length, inMempool(scene).includes(transaction)]).toEqual([1, false]),
      patience,
    );
    const [replacement = ''] = inMempool(scene);
    await scene.world.mine(6);
    await scene.node.until(id, 'sent');
    expect([
      await paidOut(scene),
      scene.node.store.transactions
        .of(id)
        .map(({ txid, state, network, replaces }) => [txid, state, network, replaces])
        .toSorted(),
    ]).toEqual([
      [100_000n],
      [
        [transaction, 'dead', 'bitcoin', null],
        [replacement, 'final', 'bitcoin', transaction],
      ].toSorted(),
    ]);
    expect(scene.node.service.owner.bump(id)).toMatchObject({ refusal: 'forbidden' });
  });

  test('that waits too long at its fee pays more by itself', async () => {
    await deposit(scene, 300_000);
    const { id, transaction } = await withdraw(scene, 100_000);
    await vi.waitFor(() => expect(inMempool(scene)).toEqual([transaction]), patience);
    scene.world.bitcoin.setFeeRate(12);
    await vi.waitFor(
      () => expect([inMempool(scene).length, inMempool(scene).includes(transaction)]).toEqual([1, false]),
      patience,
    );
    await scene.world.mine(6);
    await scene.node.until(id, 'sent');
    expect(await paidOut(scene)).toEqual([100_000n]);
  });

  test('whose coins are spent elsewhere waits until that is buried, and pays once from others', async () => {
    const twin = await startNodeOn(scene.world, join(scene.folder, 'twin'), { bitcoinWallet: true, pollMs: 25 });
    try {
      await deposit(scene, 60_000, 50_000);
      const { address } = (await scene.node.service.owner.walletAddress('bitcoin', { asset: null, amount: null })) as {
        address: string;
      };
      scene.world.bitcoin.faucet(scriptOf(address), sats(300_000));
      const theirs = await twin.runtime.ports.bitcoinWallet?.prepareSend({
        script: scriptOf(elsewhere),
        amount: sats(40_000),
        reserved: [],
      });
      const { id } = await withdraw(scene, 100_000);
      const spent = (scene.node.runtime.workingSet.find(id)?.row.progress as unknown as { payment: SavedSend }).payment
        .coins;
      // The twin takes the second of the two coins, and not the one by which the first payment is watched.
      expect([spent.map(({ amount }) => amount), theirs?.coins.map(({ amount }) => amount)]).toEqual([
        [60_000n, 50_000n],
        [50_000n],
      ]);
      await vi.waitFor(() => expect(inMempool(scene).length).toBe(2), patience);
      scene.world.bitcoin.include([theirs?.bytes ?? new Uint8Array()]);
      await scene.world.mine(1);
      expect(await paidOut(scene)).toEqual([]);
      await scene.world.mine(4);
      expect([scene.node.at(id), inMempool(scene)]).toEqual([expect.stringMatching(/^(sending|raising)$/), []]);
      await scene.world.mine(1);
      await vi.waitFor(() => expect(inMempool(scene).length).toBe(1), patience);
      await scene.world.mine(6);
      await scene.node.until(id, 'sent');
      const states = scene.node.store.transactions.of(id).map(({ state }) => state);
      expect([await paidOut(scene), states.filter((state) => state !== 'dead')]).toEqual([[100_000n], ['final']]);
    } finally {
      await twin.stop();
    }
  });

  test('fault 189, bitcoin: whose coin can never be made any more pays once from others', async () => {
    const { bitcoin } = scene.world;
    const { address } = (await scene.node.service.owner.walletAddress('bitcoin', { asset: null, amount: null })) as {
      address: string;
    };
    const stranger = openPayer('a stranger');
    const outpoint = bitcoin.faucet(stranger.script, sats(150_000));
    if (outpoint === null) throw new Error('the faucet has no coin');
    await scene.world.mine(1);
    const pay = (to: string) =>
      stranger.pay({ from: [{ outpoint, amount: 150_000n }], to: [{ script: scriptOf(to), amount: 140_000n }] });
    const payment = bitcoin.submit(pay(address));
    await scene.world.mine(1);
    const { id } = await withdraw(scene, 100_000);
    await vi.waitFor(() => expect(inMempool(scene).length).toBe(1), patience);
    bitcoin.reorg(1, [payment.txid, ...inMempool(scene)]);
    bitcoin.submit(pay(elsewhere));
    await deposit(scene, 200_000);
    await scene.world.mine(6);
    await vi.waitFor(() => expect(inMempool(scene).length).toBe(1), patience);
    await scene.world.mine(6);
    await scene.node.until(id, 'sent');
    expect(await paidOut(scene)).toEqual([100_000n]);
  });

  test('fault 212, bitcoin: that nodes refused is paid once where its owner asks for the very same again', async () => {
    await deposit(scene, 60_000);
    const { bitcoin } = scene.world;
    const { submit } = bitcoin;
    Object.assign(bitcoin, { submit: () => reject('a rule of this node alone') });
    const all = async () => {
      await scene.node.networks.refresh();
      return scene.node.service.owner.withdraw('bitcoin', { address: payee, amount: 'all', asset: null });
    };
    expect(await all()).toMatchObject({ refusal: 'forbidden' });
    Object.assign(bitcoin, { submit });
    const { id } = accepted(await all());
    await vi.waitFor(() => expect(inMempool(scene)).toHaveLength(1), patience);
    await deposit(scene, 200_000);
    for (let i = 0; i < 12; i++) {
      await scene.world.mine(1);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    await scene.node.until(id, 'sent');
    expect((await paidOut(scene)).length).toBe(1);
  });
});
