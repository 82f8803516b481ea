import { setTimeout as pause } from 'node:timers/promises';
import { count, type Kind } from './kind.ts';

const lastRounds = 20;
const ended: ReadonlySet<string> = new Set(['settled', 'failed']);

/** A payment of the node's hangs on its way for a while, then arrives or fails. Payees who hesitate end their own. */
export const paymentsHang: Kind = async ({ stage, chance }, tally, isOver) => {
  const { controls } = stage.wallet;
  const over = new Set<string>();
  async function release(): Promise<void> {
    for (const { direction, story, hash } of [...stage.scenarios]) {
      if (!direction.endsWith('-lightning') || story.includes('payee') || over.has(hash)) continue;
      const { state } = await controls.lightningPayment(hash).catch(() => ({ state: null }));
      if (state !== null && ended.has(state)) over.add(hash);
      if (state !== 'in_flight') continue;
      // One that fails is no harm to an honest client, and nothing that it wanted either.
      await controls.lightningRelease(hash, story === 'honest' ? 'settles' : chance.pick(['settles', 'fails']));
      count(tally, 'payments that hung');
    }
  }
  while (!isOver()) {
    await controls.lightningFault({ next_payment: 'hangs' });
    await pause(chance.between(3_000, 12_000));
    // What arrives meanwhile by itself cannot be released.
    await release().catch(() => undefined);
  }
  // Whoever was let in goes on for a while.
  for (let round = 0; round < lastRounds; round++) {
    await pause(1_000);
    await release().catch(() => undefined);
  }
};
