import { expect, test } from 'vitest';
import type { OnchainContext } from '../../../engine/runtime/networks/onchain/context.ts';
import { resend } from '../../../engine/runtime/networks/onchain/resend.ts';
import { NotYet } from '../../../engine/runtime/not-yet.ts';

/** What comes of one attempt to keep a claim that no node takes, or that lies unmined. */
async function pauseAt(attempts: number, lies: boolean): Promise<number | null | undefined> {
  const context = {
    ports: {
      bitcoin: {
        tip: async () => ({ height: 100 }),
        spend: async () => (lies ? { txid: '11'.repeat(32), height: null } : null),
        broadcast: async () => ({ is: 'refused', reason: 'min relay fee not met' }),
      },
    },
    store: { transactions: { of: () => [] } },
    row: { subject: 'swap', leg: 'bitcoin', attempts },
  } as unknown as OnchainContext;
  const effect = { do: 'htlc.resend', coin: { txid: '00'.repeat(32), vout: 0 }, bytes: Uint8Array.of() } as const;
  const cause: unknown = await resend(effect, context).catch((thrown: unknown) => thrown);
  return cause instanceof NotYet ? cause.seconds : undefined;
}

test('fault 216, bitcoin: a claim that nobody mines is sent again more and more slowly', async () => {
  const attempts = [0, 239, 240, 1_600, 9_600, 1_000_000];
  const pauses = [null, null, 15, 100, 600, 600];
  expect(await Promise.all(attempts.map((n) => pauseAt(n, false)))).toEqual(pauses);
  expect(await Promise.all(attempts.map((n) => pauseAt(n, true)))).toEqual(pauses);
});
