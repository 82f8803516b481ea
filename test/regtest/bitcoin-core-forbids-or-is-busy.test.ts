import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { coreMethods } from '../../engine/adapters/bitcoin/core-methods.ts';
import { scanned } from '../../engine/adapters/bitcoin/core-scan.ts';
import { coreRpc } from '../../engine/adapters/bitcoin/json-rpc.ts';
import { probeCore } from '../../engine/adapters/bitcoin/probe.ts';
import { PortFailure } from '../../engine/domain/errors.ts';
import type { BitcoinNode } from './kit/bitcoin-node.ts';
import { findCore } from './kit/build-core.ts';
import { startCore } from './kit/core.ts';
import { temporaryFolder, until } from './kit/daemon.ts';
import { onCore } from './kit/on-daemons.ts';
import { openRpc } from './kit/rpc.ts';

const patienceMs = 30_000;
/**
 * Keys that a scan derives before it reads a coin: it takes seconds. The key is of BIP-32's first test vector, with a
 * test network's prefix.
 */
const long = {
  desc: 'wpkh(tpubD6NzVbkrYhZ4XgiXtGrdW5XDAPFCL9h7we1vwNCpn8tGbBcgfVYjXyhWo4E1xkh56hjod1RhGjxbaTLV3X4FyWuejifB9jusQ46QzG87VKp/*)',
  range: 50_000,
};

onCore('Bitcoin Core forbids, or has too much to do', () => {
  let core: BitcoinNode | null = null;
  afterEach(async () => {
    await core?.stop();
    core = null;
  });

  async function start(...extra: string[]): Promise<BitcoinNode> {
    const build = findCore();
    if ('absent' in build) throw new Error(build.absent);
    core = await startCore({ program: build.program, folder: join(temporaryFolder(), 'core'), extra });
    return core;
  }

  const endpointOf = ({ url, user, password }: BitcoinNode) => ({ url, user, password, ca: null });
  const wordsOf = (work: Promise<unknown>) =>
    work.then(
      () => 'answered',
      (cause: unknown) => (cause instanceof PortFailure ? [cause.code, cause.message] : String(cause)),
    );

  test('what its whitelist leaves out is named, and what nobody needs is not', async () => {
    const missing = ['scantxoutset', 'submitpackage'];
    const named = coreMethods.filter((method) => !missing.includes(method));
    const node = await start(`-rpcwhitelist=regtest:getblockcount,${named.join(',')}`);
    const facts = await probeCore(endpointOf(node), patienceMs);
    expect([facts, await wordsOf(scanned(coreRpc(endpointOf(node)), ['51']))]).toEqual([
      { is: 'answered', facts: expect.objectContaining({ forbidden: missing }) },
      [
        'bitcoin-unauthorized',
        expect.stringMatching(/does not let .* call scantxoutset: look at its rpcallowip and its rpcwhitelist/),
      ],
    ]);
  });

  test('while another scan runs, and while more calls wait than it takes, each is said', async () => {
    const node = await start('-rpcthreads=2', '-rpcworkqueue=1');
    const other = openRpc(node);
    const scanLong = () => other.call('scantxoutset', 'start', [long]).catch(() => null);
    let scan = scanLong();
    const rpc = coreRpc({ ...endpointOf(node), limit: patienceMs });
    // Sent beside the other, it may be one too many for the queue; and whichever comes second is refused.
    const busy = await until('a scan is refused for another', async () => {
      if ((await Promise.race([scan, pause(0, 'runs')])) !== 'runs') scan = scanLong();
      const words = await wordsOf(scanned(rpc, ['51']));
      return String(words).includes('somebody else') ? words : null;
    });
    // One thread is left: it and the queue are filled.
    const many = await Promise.all(Array.from({ length: 64 }, async () => probeCore(endpointOf(node), patienceMs)));
    await other.call('scantxoutset', 'abort').catch(() => null);
    await scan;
    other.close();
    expect(busy).toEqual([
      'bitcoin-away',
      expect.stringMatching(/reads its coins for somebody else now, .* asked again/),
    ]);
    expect(many).toContainEqual({ is: 'unanswered', why: 'busy', words: 'Work queue depth exceeded' });
  });
});
