// Records the data folder of a build with open swaps, and the sandbox that it swaps in, once for each build that was
// given to anybody: node test/upgrade/record-folder.ts CHECKOUT NAME
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import { takerDirections, type TakerDirection } from '../../engine/domain/chain.ts';
import { everyDirection } from '../stories/every-direction.ts';
import { payFromOutside } from '../stories/pay-from-outside.ts';
import { startWireNode } from '../stories/wire-node.ts';

const [checkout, name] = process.argv.slice(2);
if (checkout === undefined || name === undefined) throw new Error('Say where the build is, and how it is called.');

/**
 * Swaps of the node with itself in every direction of that build: one that was paid, and one that nobody paid yet, but
 * from EVM chains: two at one account would take each other's tokens.
 */
async function ownSwaps(): Promise<{ readonly waiting: readonly string[]; readonly paid: readonly string[] }> {
  const every = await everyDirection(node);
  const opened = async (directions: readonly TakerDirection[]): Promise<TakerSwap[]> => {
    const swaps: TakerSwap[] = [];
    for (const direction of directions) swaps.push(await every.open(direction));
    return swaps;
  };
  const waiting = await opened(takerDirections.filter((direction) => !direction.startsWith('evm-')));
  const paid = await opened(takerDirections);
  for (const swap of paid) await payFromOutside(node, swap);
  const ids = (swaps: readonly TakerSwap[]) => swaps.map(({ id }) => id);
  return { waiting: ids(waiting), paid: ids(paid) };
}

const node = await startWireNode({ program: [join(checkout, 'main', 'headless.ts')] });
try {
  const client = await node.client();
  const unfunded = await client.arkadeToLightning((await node.invoice(20_000)).bolt11);
  const hanging = await node.invoice(20_000);
  const paying = await client.arkadeToLightning(hanging.bolt11);
  await node.owner('POST', '/sandbox/lightning/fault', { next_payment: 'hangs' });
  await node.faucet(paying.vhtlc.address, paying.price);
  await node.until(paying, 'serverfunded');
  const locked = await client.lightningToArkade({ source: 20_000 });
  const payment = await node.pay(locked.bolt11);
  await node.until(locked, 'serverfunded');
  const own = await ownSwaps();
  // In the midst of whatever it does for those that were paid a moment ago.
  await node.kill('SIGKILL');
  const to = join(import.meta.dirname, 'folders');
  mkdirSync(to, { recursive: true });
  const archive = join(to, `${name}.tar.xz`);
  execFileSync('tar', ['--create', '--xz', '--file', archive, '--directory', node.folder, '.'], {
    env: { ...process.env, XZ_OPT: '-9e' },
  });
  const swaps = {
    unfunded: { id: unfunded.id, address: unfunded.vhtlc.address, price: unfunded.price },
    paying: { id: paying.id, hash: hanging.hash },
    locked: { id: locked.id, payment },
    ...own,
  };
  writeFileSync(join(to, `${name}.json`), `${JSON.stringify(swaps, null, 2)}\n`);
} finally {
  await node.stop();
}
