import { expect, test } from 'vitest';
import type { Channel } from '../../../engine/adapters/lnd/channel.ts';
import { fundsOf } from '../../../engine/adapters/lnd/closing.ts';

const htlc = (amount: string) => ({ hash_lock: new Uint8Array(32), incoming: true, amount, forwarding_channel: '0' });
const channel = (...amounts: readonly string[]) => ({ pending_htlcs: amounts.map(htlc) }) as unknown as Channel;

test('fault 337, lightning: coins of an account that lnd closes no channel with are none', () => {
  const imported = { confirmed_balance: '90000' };
  expect(fundsOf([], { confirmed_balance: '100000' }).coins).toBe(100_000n);
  const balance = {
    confirmed_balance: '100000',
    account_balance: { default: { confirmed_balance: '10000' }, imported },
  };
  expect(fundsOf([channel(), channel('700', '5000')], balance)).toEqual({
    coins: 10_000n,
    channels: 1,
    htlcs: [700n, 5_000n],
  });
});
