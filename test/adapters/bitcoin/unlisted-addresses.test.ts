import { expect, test } from 'vitest';
import { createKeys } from '../../../engine/adapters/keys/keys.ts';
import { walletCoins } from '../../../engine/adapters/bitcoin/wallet-coins.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import { onchainFailure } from '../../../engine/legs/onchain/failures.ts';
import type { BitcoinPort } from '../../../engine/legs/onchain/port.ts';
import { seedOf } from '../../support/node.ts';

const keyCount = 200;

/** A wallet of hundreds of keys, with a coin at the second one, over a server that lists no script of `flooded`. */
function walletOver(flooded: Set<string>) {
  const counter = { questions: 0 };
  const next = { 'bitcoin-deposit': keyCount, 'bitcoin-change': keyCount };
  const bitcoin = {
    tip: async () => ({ height: 100 }),
    transaction: async () => null,
    async coins(scripts: readonly Uint8Array[]) {
      counter.questions += 1;
      if (scripts.some((script) => flooded.has(toHex(script))))
        throw onchainFailure('bitcoin-away', 'safe', 'too many coins at one script');
      const script = wallet.placeOf('bitcoin-deposit', 1).script;
      const outpoint = { txid: '11'.repeat(32), vout: 0 };
      return scripts.some((one) => toHex(one) === toHex(script))
        ? [{ outpoint, amount: sats(50_000), script, height: 90 }]
        : [];
    },
  } as unknown as BitcoinPort;
  const wallet = walletCoins({
    bitcoin,
    network: 'regtest',
    keys: createKeys(seedOf(9), 'regtest').privateKey,
    indexes: {
      taken: (branch) => next[branch],
      take: (branch, floor) => {
        const index = Math.max(floor, next[branch]);
        next[branch] = index + 1;
        return index;
      },
    },
  });
  return { counter, wallet };
}

test('fault 96, bitcoin: an address that nobody lists costs a claim no question for each key', async () => {
  const flooded = new Set<string>();
  const { counter, wallet } = walletOver(flooded);
  const one = toHex(wallet.placeOf('bitcoin-deposit', 7).script);
  flooded.add(one);
  expect(await wallet.coinsNow()).toHaveLength(1);
  const first = counter.questions;
  for (let claim = 0; claim < 20; claim++) await wallet.unpaid();
  expect([first > keyCount, counter.questions - first < 60, (await wallet.coinsNow()).length]).toEqual([true, true, 1]);
});
