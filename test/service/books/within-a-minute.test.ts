import { afterEach, expect, test } from 'vitest';
import { btcOn } from '../../../engine/domain/money.ts';
import { deposit } from '../../support/bitcoin-wallet.ts';
import { lookAtBooks, secondsUntilClosed } from '../../support/books.ts';
import { openScene, type Scene } from '../../support/scene.ts';

let scene: Scene;
afterEach(() => scene.end());

test.each(['arkade', 'bitcoin', 'lightning'] as const)(
  'by the intervals of a node on real networks one unit that %s lacks stops new swaps within a minute',
  async (network) => {
    scene = await openScene({ bitcoinWallet: true });
    await deposit(scene, 100_000);
    await lookAtBooks(scene.node, 4);
    expect(scene.node.runtime.guard.closed(network)).toBeNull();
    scene.booksDiffer('a unit was planted');
    scene.node.store.ledger.write('nobody', 1, 'deposit', { ...btcOn(network), amount: 1n });
    expect(await secondsUntilClosed(scene.node, network)).toBeLessThan(60);
  },
);
