// Records the data folder of a build with open swaps, and the sandbox that it swaps in, once for each build that was
// given to anybody: node test/upgrade/record-folder.ts CHECKOUT NAME
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startWireNode } from '../stories/wire-node.ts';

const [checkout, name] = process.argv.slice(2);
if (checkout === undefined || name === undefined) throw new Error('Say where the build is, and how it is called.');

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
  await node.kill('SIGTERM');
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
  };
  writeFileSync(join(to, `${name}.json`), `${JSON.stringify(swaps, null, 2)}\n`);
} finally {
  await node.stop();
}
