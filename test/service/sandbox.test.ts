import { afterEach, beforeEach, expect, test } from 'vitest';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { onchainFailure } from '../../engine/legs/onchain/failures.ts';
import { createSandboxClock, fundWallets, type SandboxLink } from '../../engine/service/sandbox.ts';
import { memoryLog } from '../runtime/support.ts';
import { openStore } from '../store/support.ts';

const soon = { ms: 500, everyMs: 5 };
const late = () => onchainFailure('bitcoin-away', 'safe', 'Esplora did not answer in time.');
let opened: ReturnType<typeof openStore>;
let paid: string[];

beforeEach(() => {
  opened = openStore();
  paid = [];
});
afterEach(() => opened.db.close());

const link = {
  state: async () => ({ clock: Math.floor(Date.now() / 1_000) }),
  arkadeFaucet: async () => paid.push('arkade'),
  bitcoinFaucet: async () => paid.push('bitcoin'),
  mine: async () => undefined,
  evmNode: async () => undefined,
  forward: async () => ({ status: 200, body: {} }),
} as SandboxLink;

function fund(bitcoin: () => Promise<string>): Promise<void> {
  const evm = { chains: ['137'], account: asEvmAddress(new Uint8Array(20)) };
  return fundWallets(link, opened.store, { arkade: async () => 'ark', bitcoin, evm }, soon);
}

test('a start waits for a network that answers late, and funds each wallet once', async () => {
  let times = 0;
  const slow = async () => {
    times += 1;
    if (times < 4) throw late();
    return 'bcrt1q';
  };
  await fund(slow);
  await fund(slow);
  expect([times, paid.filter((one) => one === 'bitcoin').length]).toEqual([4, 10]);
});

test('a start ends at once by what is wrong for good, and in the end by a network that never answers', async () => {
  let times = 0;
  const wrong = onchainFailure('bitcoin-away', 'never', 'It is another chain.');
  await expect(
    fund(async () => {
      times += 1;
      throw wrong;
    }),
  ).rejects.toThrow('It is another chain.');
  expect(times).toBe(1);
  await expect(fund(() => Promise.reject(late()))).rejects.toThrow('did not answer in time');
});

test('the clock of a sandbox that answers late is read before anything goes by it', async () => {
  let times = 0;
  const clock = createSandboxClock(
    {
      ...link,
      state: async () => {
        times += 1;
        if (times === 1) throw late();
        return { clock: Math.floor(Date.now() / 1_000) + 5_000 };
      },
    },
    { everyMs: 1_000, log: memoryLog().log },
  );
  await clock.readFirst();
  expect(clock.wall()).toBeGreaterThanOrEqual(Math.floor(Date.now() / 1_000) + 4_999);
});
