import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { sats, tokenAmount } from '../../engine/domain/money.ts';
import { scriptOfAddress } from '../../engine/legs/onchain/address.ts';
import type { SavedSend } from '../../engine/legs/onchain/wallet-port.ts';
import { createBitcoinPort } from '../support/sandbox-ports/bitcoin.ts';
import type { Withdrawal } from '../../engine/contract/owner/wallets.ts';
import { startNodeOn, type TestNode } from '../support/node.ts';
import { startWorld, type World } from '../support/world.ts';

/** An address of BIP-173's test vectors with regtest's prefix: nobody of these tests has its key. */
const payee = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
/** P2TR of another key of nobody's, likewise. */
const elsewhere = 'bcrt1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqc8gma6';
const patience = { timeout: 20_000, interval: 20 };

let world: World;
let folder: string;
let node: TestNode;

beforeEach(async () => {
  world = startWorld();
  folder = mkdtempSync(join(tmpdir(), 'sluice-'));
  node = await startNodeOn(world, folder, { bitcoinWallet: true, pollMs: 25 });
});
afterEach(async () => {
  await node.stop();
  world.stop();
  rmSync(folder, { recursive: true, force: true });
});

function script(address: string): Uint8Array {
  const found = scriptOfAddress(address, 'regtest');
  if (found === null) throw new Error(`not an address: ${address}`);
  return found;
}

async function deposit(...amounts: number[]): Promise<void> {
  for (const amount of amounts) {
    const answer = await node.service.owner.walletAddress('bitcoin', { asset: null, amount: null });
    if (isRefusal(answer)) throw new Error(answer.sentence);
    world.bitcoin.faucet(script(answer.address), sats(amount));
  }
  await world.mine(1);
}

async function withdraw(amount: number, address = payee): Promise<Withdrawal> {
  const answer = await node.service.owner.withdraw('bitcoin', { address, amount: tokenAmount(amount), asset: null });
  if (isRefusal(answer)) throw new Error(answer.sentence);
  return answer;
}

async function paid(): Promise<bigint[]> {
  return (await createBitcoinPort(world.bitcoin).coins([script(payee)])).map(({ amount }) => amount);
}

function row() {
  const answer = node.service.owner.balances();
  if (isRefusal(answer) || answer instanceof Promise) throw new Error('the balances were not told');
  return answer.balances.find(({ network }) => network === 'bitcoin');
}

function waiting(): string[] {
  return world.bitcoin.mempool().map(({ tx }) => tx.txid);
}

describe("a withdrawal from the owner's Bitcoin wallet", () => {
  test('is sent once, watched until it is six blocks deep, and shown in the balances at every step', async () => {
    await deposit(300_000);
    expect(row()).toMatchObject({
      network: 'bitcoin',
      asset: 'btc',
      available: '300000',
      reserved: '0',
      locked: '0',
      pending: '0',
    });
    const { id, transaction } = await withdraw(100_000);
    await vi.waitFor(() => expect(waiting()).toEqual([transaction]), patience);
    await vi.waitFor(
      () => expect([row()?.available, Number(row()?.pending)]).toEqual(['0', expect.closeTo(199_800, -3)]),
      patience,
    );
    await world.mine(5);
    expect(node.at(id)).toBe('sending');
    await world.mine(1);
    await node.until(id, 'sent');
    const fee = 200_000 - Number(row()?.available);
    expect({
      paid: await paid(),
      small: fee > 100 && fee < 400,
      held: node.store.transactions.reservedCoins().filter(({ txid }) => world.bitcoin.transaction(txid) !== undefined),
    }).toEqual({ paid: [100_000n], small: true, held: [] });
  });

  test('of more than is confirmed, of dust, or to a foreign address is refused in one sentence', async () => {
    await deposit(50_000);
    const refusals = await Promise.all(
      (
        [
          [payee, 60_000],
          [payee, 49_999],
          [payee, 293],
          ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 1_000],
          ['nonsense', 1_000],
        ] as const
      ).map(([address, amount]) => withdraw(amount, address).catch((cause: Error) => cause.message)),
    );
    expect(refusals).toEqual([
      'amount is 60000 sats; 50000 are confirmed and free: send less, or wait for confirmations.',
      expect.stringMatching(
        /^Nothing was sent: The Bitcoin wallet can send 499\d\d sats from its confirmed coins at 1 sats per vbyte, 49999 were asked for/,
      ),
      'amount is 293 sats, the least that is relayed to this address is 294: send more.',
      'address is not a Bitcoin address of regtest: look for a missing or wrong letter, and for the network it was made on.',
      'address is not a Bitcoin address of regtest: look for a missing or wrong letter, and for the network it was made on.',
    ]);
    expect([await paid(), waiting()]).toEqual([[], []]);
  });

  test('is refused, as a deposit is, while there is no wallet', async () => {
    const folderOfOther = mkdtempSync(join(tmpdir(), 'sluice-'));
    const other = await startNodeOn(world, folderOfOther, { bitcoinWallet: true, without: ['bitcoin'] });
    const refused = { refusal: 'unavailable', sentence: expect.stringMatching(/connect/) };
    expect([
      await other.service.owner.walletAddress('bitcoin', { asset: null, amount: null }),
      await other.service.owner.withdraw('bitcoin', { address: payee, amount: tokenAmount(1_000), asset: null }),
    ]).toMatchObject([refused, refused]);
    await other.stop();
    rmSync(folderOfOther, { recursive: true, force: true });
  });

  test('two at once take different coins', async () => {
    await deposit(100_000, 100_000);
    const [one, two] = await Promise.all([withdraw(80_000), withdraw(70_000)]);
    await vi.waitFor(
      () => expect(waiting().toSorted()).toEqual([one.transaction, two.transaction].toSorted()),
      patience,
    );
    await world.mine(6);
    await Promise.all([one, two].map(({ id }) => node.until(id, 'sent')));
    expect((await paid()).toSorted()).toEqual([70_000n, 80_000n]);
  });

  test('that a reorganisation undoes is sent again with the same bytes', async () => {
    await deposit(300_000);
    const { id, transaction } = await withdraw(100_000);
    await world.mine(3);
    world.bitcoin.reorg(3, [transaction]);
    expect(await paid()).toEqual([]);
    await vi.waitFor(() => expect(waiting()).toEqual([transaction]), patience);
    await world.mine(6);
    await node.until(id, 'sent');
    expect([await paid(), world.bitcoin.transaction(transaction) !== undefined]).toEqual([[100_000n], true]);
  });

  test('whose fee the owner raises is replaced, and counts whichever is mined', async () => {
    await deposit(300_000);
    const { id, transaction } = await withdraw(100_000);
    await vi.waitFor(() => expect(waiting()).toEqual([transaction]), patience);
    expect(node.service.owner.bump(id)).toEqual({ at: 'raising' });
    await vi.waitFor(() => expect([waiting().length, waiting().includes(transaction)]).toEqual([1, false]), patience);
    const [replacement = ''] = waiting();
    await world.mine(6);
    await node.until(id, 'sent');
    expect([
      await paid(),
      node.store.transactions
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
    expect(node.service.owner.bump(id)).toMatchObject({ refusal: 'forbidden' });
  });

  test('that waits too long at its fee pays more by itself', async () => {
    await deposit(300_000);
    const { id, transaction } = await withdraw(100_000);
    await vi.waitFor(() => expect(waiting()).toEqual([transaction]), patience);
    world.bitcoin.setFeeRate(12);
    await vi.waitFor(() => expect([waiting().length, waiting().includes(transaction)]).toEqual([1, false]), patience);
    await world.mine(6);
    await node.until(id, 'sent');
    expect(await paid()).toEqual([100_000n]);
  });

  test('whose coins are spent elsewhere waits until that is buried, and pays once from others', async () => {
    const other = mkdtempSync(join(tmpdir(), 'sluice-'));
    const twin = await startNodeOn(world, other, { bitcoinWallet: true, pollMs: 25 });
    try {
      await deposit(60_000, 50_000);
      const { address } = (await node.service.owner.walletAddress('bitcoin', { asset: null, amount: null })) as {
        address: string;
      };
      world.bitcoin.faucet(script(address), sats(300_000));
      const theirs = await twin.runtime.ports.bitcoinWallet?.prepareSend({
        script: script(elsewhere),
        amount: sats(40_000),
        reserved: [],
      });
      const { id } = await withdraw(100_000);
      const spent = (node.runtime.workingSet.find(id)?.row.progress as unknown as { payment: SavedSend }).payment.coins;
      // The twin takes the second of the two coins, and not the one by which the first payment is watched.
      expect([spent.map(({ amount }) => amount), theirs?.coins.map(({ amount }) => amount)]).toEqual([
        [60_000n, 50_000n],
        [50_000n],
      ]);
      await vi.waitFor(() => expect(waiting().length).toBe(2), patience);
      world.bitcoin.include([theirs?.bytes ?? new Uint8Array()]);
      await world.mine(1);
      expect(await paid()).toEqual([]);
      await world.mine(4);
      expect([node.at(id), waiting()]).toEqual([expect.stringMatching(/^(sending|raising)$/), []]);
      await world.mine(1);
      await vi.waitFor(() => expect(waiting().length).toBe(1), patience);
      await world.mine(6);
      await node.until(id, 'sent');
      const states = node.store.transactions.of(id).map(({ state }) => state);
      expect([await paid(), states.filter((state) => state !== 'dead')]).toEqual([[100_000n], ['final']]);
    } finally {
      await twin.stop();
      rmSync(other, { recursive: true, force: true });
    }
  });
});
