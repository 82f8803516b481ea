import { expect, test } from 'vitest';
import { createForgottenKeys } from '../../../engine/service/wallet/forgotten-keys.ts';
import { bitcoinWalletOf } from '../../../engine/runtime/ports.ts';
import { deposit } from '../../support/bitcoin-wallet.ts';
import { openScene } from '../../support/scene.ts';

test('fault 99, bitcoin: a restored database finds coins at keys that it does not know, once', async () => {
  const scene = await openScene({ bitcoinWallet: true });
  try {
    scene.backUp();
    scene.node.store.counters.take('bitcoin-deposit', 129);
    await deposit(scene, 70_000);
    await scene.restore({ bitcoinWallet: true });
    const { runtime, store } = scene.node;
    const wallet = bitcoinWalletOf(runtime.ports);
    const keys = createForgottenKeys({ runtime, everyMs: 3_600_000, log: runtime.log });
    await keys.check();
    const before = (await wallet.balance([])).available;
    keys.begin();
    await keys.check();
    expect([before, (await wallet.balance([])).available, store.chainCoins.unexplained()]).toEqual([
      0n,
      70_000n,
      { spent: [], forgotten: [] },
    ]);
    expect(store.settings.get('looking-for-keys')).toBeNull();
  } finally {
    await scene.end();
  }
}, 60_000);
