import { expect, test } from 'vitest';
import { createWallets } from '../../engine/runtime/wallets.ts';

test('who prepares coins of one wallet waits for its own, never for another', async () => {
  const wallets = createWallets();
  const done: string[] = [];
  let open = (): void => undefined;
  const first = wallets.alone('arkade', () => new Promise<void>((resolve) => (open = resolve)));
  const second = wallets.alone('arkade', async () => done.push('arkade'));
  await wallets.alone('bitcoin', async () => done.push('bitcoin'));
  await wallets.alone('evm:137', async () => done.push('evm:137'));
  const before = [...done, wallets.isFree('arkade'), wallets.isFree('bitcoin'), wallets.isFree('evm:137')];
  open();
  await Promise.all([first, second]);
  expect([before, done]).toEqual([
    ['bitcoin', 'evm:137', false, true, true],
    ['bitcoin', 'evm:137', 'arkade'],
  ]);
});
