import { mnemonicToSeedSync } from '@scure/bip39';
import { expect, test } from 'vitest';
import { bitcoinWallet } from '../../../engine/adapters/bitcoin/wallet.ts';
import { createKeys } from '../../../engine/adapters/keys/keys.ts';
import { sats } from '../../../engine/domain/money.ts';
import { scriptOfAddress } from '../../../engine/legs/onchain/address.ts';
import { onchainFailure } from '../../../engine/legs/onchain/failures.ts';
import type { BitcoinPort } from '../../../engine/legs/onchain/port.ts';
import { nothingKept } from '../../../engine/legs/onchain/reserve.ts';
import { openBitcoinWorld } from '../../ports/bitcoin-controls.ts';
import { openPayer } from '../../ports/bitcoin-payer.ts';
import { createBitcoinPort } from '../../support/sandbox-ports/bitcoin.ts';
import { memoryIndexes } from '../../support/wallet-indexes.ts';

const words = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const htlc = openPayer('htlc').script;

function openWallet(change: (port: BitcoinPort) => Partial<BitcoinPort> = () => ({})) {
  const { world, controls } = openBitcoinWorld();
  const port = createBitcoinPort(world);
  const bitcoin = { ...port, ...change(port) };
  const { privateKey } = createKeys(mnemonicToSeedSync(words), 'regtest');
  const wallet = bitcoinWallet({ bitcoin, network: 'regtest', keys: privateKey, indexes: memoryIndexes() });
  const place = async () => scriptOfAddress(await wallet.address(), 'regtest') ?? new Uint8Array();
  const fund = (amount: bigint) =>
    wallet.prepareFunding({
      script: htlc,
      amount: sats(amount),
      reserved: [],
      rate: 1,
      mostFee: sats(10_000n),
      leastChange: sats(1_000n),
      reserve: nothingKept,
      pieces: [],
    });
  return { world, controls, bitcoin, wallet, place, fund };
}

test('fault 150, bitcoin: a reward is neither counted nor spent before it can be', async () => {
  const { world, controls, bitcoin, wallet, place, fund } = openWallet();
  await controls.faucet(await place(), 200_000n);
  world.mine(1);
  const reward = await place();
  world.mine(1, reward);
  const held = world.coinsOf(reward).reduce((sum, { amount }) => sum + amount, 0n);
  expect(await wallet.balance([])).toEqual({ available: 200_000n, pending: held, coins: [200_000n] });
  // What waits for a block may be waited for; this would be refused for most of a day.
  await expect(fund(1_000_000n)).rejects.toMatchObject({ code: 'no-coins' });
  const funding = await fund(100_000n);
  expect(await bitcoin.broadcast(funding.bytes)).toEqual({ is: 'accepted' });
  expect(await wallet.prepareSend({ script: htlc, amount: sats(1_000_000n), reserved: [] }).catch(String)).toContain(
    'can send',
  );
  world.mine(98);
  expect((await wallet.balance([])).available).toBeLessThan(200_000n);
  world.mine(1);
  expect((await wallet.balance([])).available).toBeGreaterThan(held);
  const whole = await fund(held);
  expect(await bitcoin.broadcast(whole.bytes)).toEqual({ is: 'accepted' });
});

test('fault 150, bitcoin: what made a coin is read once, and a coin of which it is not read waits', async () => {
  let reads = 0;
  let away = true;
  const { world, controls, wallet, place, fund } = openWallet((port) => ({
    async transaction(txid) {
      reads += 1;
      if (away) throw onchainFailure('bitcoin-away', 'safe', 'it does not answer');
      return port.transaction(txid);
    },
  }));
  for (let i = 0; i < 60; i++) await controls.faucet(await place(), 10_000n);
  await controls.faucet(await place(), 500_000n);
  world.mine(1);
  expect((await wallet.balance([])).available).toBe(0n);
  await expect(fund(100_000n)).rejects.toMatchObject({ code: 'coins-wait' });
  [away, reads] = [false, 0];
  expect([(await wallet.balance([])).coins.includes(sats(500_000n)), reads < 61]).toEqual([true, true]);
  await wallet.balance([]);
  expect([(await wallet.balance([])).available, reads]).toEqual([1_100_000n, 61]);
  await fund(100_000n);
  expect(reads).toBe(61);
});

test('fault 150, bitcoin: a source that tells a reward from a payment is asked for no transaction', async () => {
  let reads = 0;
  const { world, controls, wallet, place } = openWallet((port) => ({
    async transaction(txid) {
      reads += 1;
      return port.transaction(txid);
    },
    coins: async (...ask) => (await port.coins(...ask)).map((coin) => ({ ...coin, reward: coin.amount > 1_000_000n })),
  }));
  await controls.faucet(await place(), 500_000n);
  world.mine(1, await place());
  expect([(await wallet.balance([])).available, reads]).toEqual([500_000n, 0]);
});
