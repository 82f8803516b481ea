import { expect, it } from 'vitest';
import { toHex } from '../../../engine/domain/hex.ts';
import type { EvmHeads } from '../../../engine/legs/evm/port.ts';
import { evmFailure } from '../../../engine/legs/evm/failures.ts';
import { evmLockWatching } from '../../../engine/runtime/networks/evm/watch-locks.ts';
import type { WatchOptions } from '../../../engine/runtime/networks/watching.ts';
import { openStore } from '../../store/support.ts';
import { client, hash, network, ours } from './scene.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('the tips of a chain are asked for once in a look, whatever the number of its contracts', async () => {
  let questions = 0;
  const heads = async (): Promise<EvmHeads> => {
    questions += 1;
    throw evmFailure('evm-away', 'safe', 'nobody answers');
  };
  const failures: unknown[] = [];
  const watch = evmLockWatching.open({
    ports: { [network]: { heads } },
    store: openStore().store,
    evm: () => ({ confirmations: [1, 1] }),
    onFailure: (_: unknown, cause: unknown) => void failures.push(cause),
    pollMs: 3_600_000,
    wall: () => 0,
  } as unknown as WatchOptions);
  if (watch === null) throw new Error('EVM chains are always there');
  const oneLock = { are: 'one', key: new Uint8Array(32) } as never;
  for (const htlc of [client, ours])
    watch.add(`swap at ${toHex(htlc)}`, { on: 'evm-lock', network, htlc, hash, wanted: oneLock, since: 0 });
  watch.onMined?.();
  await turn();
  await watch.stop();
  expect({ questions, failures: failures.length }).toEqual({ questions: 1, failures: 2 });
});

it('what is mined of ours is looked at once then, and once more where a look was under way', async () => {
  const looks: (() => void)[] = [];
  const heads = (): Promise<EvmHeads> =>
    new Promise((_, reject) => looks.push(() => reject(evmFailure('evm-away', 'safe', 'nobody answers'))));
  const watch = evmLockWatching.open({
    ports: { [network]: { heads } },
    store: openStore().store,
    evm: () => ({ confirmations: [1, 1] }),
    onFailure: () => undefined,
    pollMs: 3_600_000,
    wall: () => 0,
  } as unknown as WatchOptions);
  if (watch === null) throw new Error('EVM chains are always there');
  const oneLock = { are: 'one', key: new Uint8Array(32) } as never;
  watch.add('swap', { on: 'evm-lock', network, htlc: client, hash, wanted: oneLock, since: 0 });
  watch.start();
  const counts: number[] = [];
  watch.onMined?.();
  await turn();
  counts.push(looks.length);
  watch.onMined?.();
  watch.onMined?.();
  looks.shift()?.();
  await turn();
  counts.push(looks.length);
  looks.shift()?.();
  await turn();
  counts.push(looks.length);
  const stopping = watch.stop();
  watch.onMined?.();
  await stopping;
  expect([counts, looks.length]).toEqual([[1, 1, 0], 0]);
});
