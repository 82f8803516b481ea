import { mnemonicToSeedSync } from '@scure/bip39';
import { describe, expect, test } from 'vitest';
import { bitcoinWallet } from '../../../engine/adapters/bitcoin/wallet.ts';
import type { WalletIndexes } from '../../../engine/adapters/bitcoin/wallet-coins.ts';
import { readTransaction } from '../../../engine/adapters/bitcoin/raw.ts';
import { createKeys } from '../../../engine/adapters/keys/keys.ts';
import { sats } from '../../../engine/domain/money.ts';
import { outpointsOf } from '../../../engine/legs/raw-tx.ts';
import { findForgotten } from '../../../engine/legs/onchain/forgotten.ts';
import { scriptOfAddress } from '../../../engine/legs/onchain/address.ts';
import { dustOf } from '../../../engine/legs/onchain/size.ts';
import { createBitcoinPort } from '../../support/sandbox-ports/bitcoin.ts';
import type { BitcoinPort } from '../../../engine/legs/onchain/port.ts';
import { memoryIndexes } from '../../support/wallet-indexes.ts';
import { openBitcoinWorld } from '../../ports/bitcoin-controls.ts';
import { openPayer } from '../../ports/bitcoin-payer.ts';

const words = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';

const { privateKey } = createKeys(mnemonicToSeedSync(words), 'regtest');

function openWallet(indexes = memoryIndexes()) {
  const { world, controls } = openBitcoinWorld();
  const bitcoin = createBitcoinPort(world);
  const open = (from: WalletIndexes) => bitcoinWallet({ bitcoin, network: 'regtest', keys: privateKey, indexes: from });
  return { world, controls, bitcoin, open, indexes, wallet: open(indexes) };
}

async function fund(
  { wallet, world, controls }: Pick<ReturnType<typeof openWallet>, 'wallet' | 'world' | 'controls'>,
  ...amounts: number[]
): Promise<void> {
  for (const amount of amounts)
    await controls.faucet(scriptOfAddress(await wallet.address(), 'regtest') ?? new Uint8Array(), BigInt(amount));
  world.mine(1);
}

const payee = openPayer('payee').script;

describe('the Bitcoin wallet', () => {
  test('has the addresses of BIP-86 for a seed', () => {
    const { privateKey } = createKeys(mnemonicToSeedSync(words), 'mainnet');
    const { world } = openBitcoinWorld();
    const mainnet = bitcoinWallet({
      bitcoin: createBitcoinPort(world),
      network: 'mainnet',
      keys: privateKey,
      indexes: memoryIndexes(),
    });
    // BIP-86, test vectors: the first receiving address of the account.
    return expect(mainnet.address()).resolves.toBe('bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr');
  });

  test('shows one address until it is paid, and tells what is confirmed from what is not', async () => {
    const opened = openWallet();
    const { wallet, world, controls } = opened;
    const first = await wallet.address();
    expect([first, await wallet.balance([])]).toEqual([
      await wallet.address(),
      { available: 0n, pending: 0n, coins: [] },
    ]);
    const coin = await controls.faucet(scriptOfAddress(first, 'regtest') ?? new Uint8Array(), 70_000n);
    const second = await wallet.address();
    expect([second === first, await wallet.balance([])]).toEqual([
      false,
      { available: 0n, pending: 70_000n, coins: [] },
    ]);
    world.mine(1);
    expect([await wallet.balance([]), await wallet.balance([coin])]).toEqual([
      { available: 70_000n, pending: 0n, coins: [70_000n] },
      { available: 0n, pending: 0n, coins: [] },
    ]);
  });

  test('fault 195, bitcoin: while the disk is full a claim is paid to an address of before', async () => {
    let isFull = false;
    const indexes = memoryIndexes();
    const opened = openWallet({
      ...indexes,
      take(branch, floor) {
        if (isFull) throw new Error('the disk is full');
        return indexes.take(branch, floor);
      },
      isUnsaved: () => isFull,
    });
    const first = await opened.wallet.address();
    await fund(opened, 70_000);
    isFull = true;
    expect([await opened.wallet.address(), indexes.taken('bitcoin-deposit')]).toEqual([first, 1]);
    isFull = false;
    expect(await opened.wallet.address()).not.toBe(first);
  });

  test('fault 233, bitcoin: for a new key no block is read that is older than it', async () => {
    const opened = openWallet();
    const listed: { readonly scripts: number; readonly since: number | undefined }[] = [];
    const bitcoin: BitcoinPort = {
      ...opened.bitcoin,
      coins(scripts, since, ...rest) {
        listed.push({ scripts: scripts.length, since });
        return opened.bitcoin.coins(scripts, since, ...rest);
      },
    };
    const wallet = bitcoinWallet({ bitcoin, network: 'regtest', keys: privateKey, indexes: opened.indexes });
    // Beyond the keys of the first look.
    await fund({ ...opened, wallet }, ...Array.from({ length: 22 }, () => 50_000));
    for (let i = 0; i < 3; i++) {
      await fund({ ...opened, wallet }, 50_000);
      opened.world.mine(200);
      listed.length = 0;
      await wallet.address();
      await wallet.balance([]);
      const { height } = opened.world.tip();
      // The one that is new, apart from those of before.
      expect(listed.some(({ scripts, since }) => scripts === 1 && since === height)).toBe(true);
      expect(listed.filter(({ scripts, since }) => scripts > 1 && since === height)).toEqual([]);
    }
  });

  test('a database from a backup finds forgotten coins, and gives none of the paid addresses out again', async () => {
    const opened = openWallet();
    const addresses: string[] = [];
    for (let i = 0; i < 24; i++) {
      addresses.push(await opened.wallet.address());
      // Beyond the gap there are coins only because there are coins within it.
      if (i % 4 === 3) await fund(opened, 10_000 + i);
      else opened.indexes.take('bitcoin-deposit', 0);
    }
    const old = opened.open(memoryIndexes());
    expect(await old.balance([])).toEqual(await opened.wallet.balance([]));
    expect((await old.balance([])).available).toBe(60_078n);
    expect(addresses).not.toContain(await old.address());
  });

  test('fault 99, bitcoin: the words alone find coins at keys far beyond the first ones', async () => {
    const opened = openWallet();
    for (const used of [130, 300]) {
      opened.indexes.take('bitcoin-deposit', used - 1);
      await fund(opened, 10_000);
    }
    const bare = opened.open(memoryIndexes());
    const near = (await bare.balance([])).available;
    await findForgotten(bare, () => true);
    expect([near, await bare.balance([])]).toEqual([0n, await opened.wallet.balance([])]);
    expect((await bare.balance([])).available).toBe(20_000n);
    const paid = await bare.prepareSend({ script: payee, amount: sats(15_000), reserved: [] });
    expect(await opened.bitcoin.broadcast(paid.bytes)).toEqual({ is: 'accepted' });
  });

  test.each([null, 1])(
    'fault 101, bitcoin: a source with a coin at every key (height %s) costs bounded looks',
    async (height) => {
      const opened = openWallet();
      let looks = 0;
      const lying: BitcoinPort = {
        ...opened.bitcoin,
        async coins(scripts) {
          if (++looks > 500) throw new Error('it never ends');
          const coin = { outpoint: { txid: 'ab'.repeat(32), vout: looks }, amount: sats(1_000), height };
          return scripts.length === 0 ? [] : [{ ...coin, script: scripts.at(-1) ?? new Uint8Array() }];
        },
      };
      const indexes = memoryIndexes();
      const wallet = bitcoinWallet({ bitcoin: lying, network: 'regtest', keys: privateKey, indexes });
      await wallet.balance([]);
      const near = indexes.taken('bitcoin-change');
      expect(near).toBeLessThanOrEqual(height === null ? 0 : 1_000);
      await wallet.balance([]);
      expect([indexes.taken('bitcoin-change') - near <= 1, looks < 60]).toEqual([true, true]);
      let steps = 0;
      await findForgotten({ lookBeyond: async () => ++steps < 500 }, () => true);
      expect(steps).toBe(40);
    },
  );

  test('pays with the smallest coin that suffices, change to itself, at exactly the rate of the chain', async () => {
    const opened = openWallet();
    const { wallet, world, bitcoin } = opened;
    await fund(opened, 30_000, 80_000, 500_000);
    world.setFeeRate(7);
    const prepared = await wallet.prepareSend({ script: payee, amount: sats(50_000), reserved: [] });
    const tx = readTransaction(prepared.bytes);
    const { txid, outputs } = tx;
    expect(
      await wallet.prepareSend({ script: payee, amount: sats(50_000), reserved: [] }).then(({ coins }) => coins),
    ).toEqual(prepared.coins);
    expect({
      txid,
      inputs: outpointsOf(tx),
      outputs: outputs.map(({ amount }) => amount),
      script: outputs[0]?.script,
      amounts: prepared.coins.map(({ amount }) => amount),
      capped: prepared.capped,
    }).toEqual({
      txid: prepared.txid,
      inputs: prepared.coins.map(({ outpoint }) => outpoint),
      outputs: [50_000n, 80_000n - 50_000n - prepared.fee],
      script: payee,
      amounts: [80_000n],
      capped: false,
    });
    expect(prepared.rate).toBeGreaterThanOrEqual(7);
    expect(prepared.rate).toBeLessThan(7.1);
    expect(await bitcoin.broadcast(prepared.bytes)).toEqual({ is: 'accepted' });
    world.mine(1);
    expect((await bitcoin.coins([payee])).map(({ amount }) => amount)).toEqual([50_000n]);
    expect(await wallet.balance([])).toMatchObject({ available: 610_000n - 50_000n - prepared.fee, pending: 0n });
  });

  test('puts coins together where none suffices, and leaves promised and waiting ones alone', async () => {
    const opened = openWallet();
    const { wallet, controls } = opened;
    await fund(opened, 30_000, 40_000, 50_000);
    const waiting = scriptOfAddress(await wallet.address(), 'regtest') ?? new Uint8Array();
    await controls.faucet(waiting, 1_000_000n);
    const both = await wallet.prepareSend({ script: payee, amount: sats(89_600), reserved: [] });
    expect([both.coins.map(({ amount }) => amount), both.change, both.fee, both.capped]).toEqual([
      [50_000n, 40_000n],
      null,
      400n,
      true,
    ]);
    await expect(
      wallet.prepareSend({ script: payee, amount: sats(89_600), reserved: [both.coins[0]!.outpoint] }),
    ).rejects.toMatchObject({
      code: 'no-coins',
      retry: 'safe',
      message: expect.stringMatching(
        /^The Bitcoin wallet can send 69\d{3} sats from its confirmed coins at 1 sats per vbyte, 89600 were asked for/,
      ),
    });
    await expect(
      wallet.prepareSend({ script: payee, amount: sats(dustOf(payee) - 1n), reserved: [] }),
    ).rejects.toMatchObject({ code: 'dust', retry: 'never' });
  });

  test('a bump pays from the change, by the rules on replacements, until there is no room', async () => {
    const opened = openWallet();
    const { wallet, bitcoin } = opened;
    await fund(opened, 60_000);
    const first = await wallet.prepareSend({ script: payee, amount: sats(50_000), reserved: [] });
    await bitcoin.broadcast(first.bytes);
    const second = await wallet.prepareBump({
      script: payee,
      amount: sats(50_000),
      replaces: first,
      leastRate: first.rate * 1.25,
      mostFee: sats(5_000),
    });
    expect([second.coins, await bitcoin.broadcast(second.bytes), second.change?.key, second.capped]).toEqual([
      first.coins,
      { is: 'accepted' },
      first.change?.key,
      false,
    ]);
    const last = await wallet.prepareBump({
      script: payee,
      amount: sats(50_000),
      replaces: second,
      leastRate: 400,
      mostFee: sats(5_000),
    });
    expect([last.fee, last.capped, await bitcoin.broadcast(last.bytes)]).toEqual([5_000n, true, { is: 'accepted' }]);
    await expect(
      wallet.prepareBump({ script: payee, amount: sats(50_000), replaces: last, leastRate: 400, mostFee: sats(5_000) }),
    ).rejects.toMatchObject({ code: 'no-room', retry: 'never' });
    const all = await wallet.prepareBump({
      script: payee,
      amount: sats(50_000),
      replaces: last,
      leastRate: 400,
      mostFee: sats(10_000),
    });
    expect([all.fee, all.change, await bitcoin.broadcast(all.bytes)]).toEqual([10_000n, null, { is: 'accepted' }]);
  });
});

test('dust is what nodes reckon it to be, by the kind of output', () => {
  const kinds = [22, 34, 34].map((length, i) =>
    Uint8Array.of(i === 2 ? 0x51 : 0, length - 2, ...new Uint8Array(length - 2)),
  );
  // bitcoin/bitcoin, src/policy/policy.cpp, GetDustThreshold: P2WPKH, P2WSH, P2TR, P2PKH, P2SH.
  expect(
    [
      ...kinds,
      Uint8Array.of(0x76, 0xa9, 20, ...new Uint8Array(20), 0x88, 0xac),
      Uint8Array.of(0xa9, 20, ...new Uint8Array(20), 0x87),
    ].map(dustOf),
  ).toEqual([294n, 330n, 330n, 546n, 540n]);
});
