import { expect, test } from 'vitest';
import { unix } from '../../../engine/domain/time.ts';
import type { EffectOf } from '../../../engine/runtime/networks/act.ts';
import { claimedTogether } from '../../../engine/runtime/networks/onchain/claim-together.ts';
import type { OnchainContext } from '../../../engine/runtime/networks/onchain/context.ts';
import { clocksAt, coinPoint, start } from '../../swap/cases.ts';

/** The claim by the key of both is signed, and the commit that saves it fails. */
async function claimed(code: string) {
  const ended: string[] = [];
  const spend = { txid: 'ab'.repeat(32), sighash: new Uint8Array(32), outputs: new Uint8Array() };
  const held = {
    effect: { purpose: 'claim', coin: coinPoint },
    plan: {},
    asksUntil: unix(start + 3_600),
    spend: { ...spend, bytes: new Uint8Array() },
    made: {},
    leftMs: 1_000,
  };
  const context = {
    row: { subject: 'swap' },
    clock: { now: () => clocksAt(start) },
    store: { transactions: { byId: () => ({ state: 'prepared' }) }, partials: { note: async () => true } },
    jointClaims: { of: () => (ended.length === 0 ? held : null), end: (subject: string) => void ended.push(subject) },
    together: () => Promise.reject(Object.assign(new Error('it was not saved'), { code })),
  } as unknown as OnchainContext;
  const isClaimed = await claimedTogether({ txid: 'cd'.repeat(32) } as EffectOf<'onchain.broadcast'>, context).catch(
    (cause: Error) => cause.message,
  );
  return { isClaimed, ended };
}

test('fault 199, bitcoin: a claim by the key of both that no disk takes gives way to that by script', async () => {
  expect(await claimed('SQLITE_FULL')).toEqual({ isClaimed: false, ended: ['swap'] });
  expect((await claimed('a bug')).isClaimed).toBe('it was not saved');
});
