import { afterEach, beforeEach, expect, test } from 'vitest';
import { createArkade } from '../../../engine/adapters/arkade/arkade.ts';
import type { WalletMemory } from '../../../engine/adapters/arkade/operator.ts';
import { createKeys } from '../../../engine/adapters/keys/keys.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import type { ArkadePort } from '../../../engine/legs/arkade/port.ts';
import type { WalletTerms } from '../../../engine/legs/arkade/vtxo.ts';
import { arkProviderOf, indexerProviderOf } from '../../support/sandbox-ports/arkade-providers.ts';
import { seedOf } from '../../support/node.ts';
import { startWorld, type World } from '../../support/world.ts';

let world: World;
beforeEach(() => {
  world = startWorld();
});
afterEach(() => world.stop());

/** Keys of somebody, as an operator would list them. */
const strangers = Array.from(
  { length: 40 },
  (_, i) => createKeys(seedOf(100 + i), 'regtest').signer({ branch: 'taker', index: 0 }).publicKey,
);

function memory(): WalletMemory & { kept: readonly WalletTerms[] | null } {
  return {
    kept: null,
    terms() {
      return this.kept;
    },
    keep(terms) {
      this.kept = terms;
    },
  };
}

/** A wallet at an operator that lists these keys as its former ones, or the truth; what it asks for is noted. */
function walletAt(
  remembers: WalletMemory,
  former?: readonly Uint8Array[],
): { port: ArkadePort; questions: Set<string> } {
  const ark = arkProviderOf(world.operator);
  const indexer = indexerProviderOf(world.operator);
  const questions = new Set<string>();
  const port = createArkade({
    ark: {
      ...ark,
      getInfo: async () => ({
        ...(await ark.getInfo()),
        ...(former === undefined
          ? {}
          : { deprecatedSigners: former.map((key) => ({ pubkey: toHex(key), cutoffDate: 0n })) }),
      }),
    },
    indexer: {
      ...indexer,
      getVtxos(filter) {
        for (const script of filter?.scripts ?? []) questions.add(script);
        return indexer.getVtxos(filter);
      },
    },
    keys: createKeys(seedOf(7), 'regtest').privateKey,
    clock: { wall: world.now, mtp: () => null },
    network: 'regtest',
    memory: remembers,
  });
  return { port, questions };
}

test('fault 41: an operator points at no key that this node has not seen as its signer', async () => {
  const remembered = memory();
  await walletAt(remembered).port.walletCoins();
  const { port, questions } = walletAt(remembered, strangers);
  await port.walletCoins();
  expect([questions.size, remembered.kept?.length]).toEqual([1, 1]);
});

test('fault 41: coins under a signer that the operator owns up to no more are still found', async () => {
  const remembered = memory();
  const before = walletAt(remembered);
  world.faucet((await before.port.address()).address, 50_000n);
  world.operator.rotateSigner(86_400);
  const { port } = walletAt(remembered, []);
  expect((await port.walletCoins()).map(({ amount, old }) => ({ amount, old }))).toEqual([
    { amount: 50_000n, old: true },
  ]);
});

test('at first contact coins are looked for under sixteen of the signers that an operator lists', async () => {
  world.faucet((await walletAt(memory()).port.address()).address, 50_000n);
  world.operator.rotateSigner(86_400);
  const restored = memory();
  const coins = await walletAt(restored).port.walletCoins();
  const many = memory();
  await walletAt(many, strangers).port.walletCoins();
  expect([coins.map(({ amount }) => amount), restored.kept?.length, many.kept?.length]).toEqual([[50_000n], 2, 17]);
});
