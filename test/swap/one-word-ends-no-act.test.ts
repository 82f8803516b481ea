import { expect, test } from 'vitest';
import type { EvmPurpose } from '../../engine/legs/evm/acts.ts';
import { arkadeEvm, type ArkadeEvmProgress } from '../../engine/swap/directions/arkade-evm.ts';
import { evmLightning, type EvmLightningProgress } from '../../engine/swap/directions/evm-lightning.ts';
import type { Event } from '../../engine/swap/machine.ts';
import * as arkade from './arkade-evm-cases.ts';
import { coin, start } from './cases.ts';
import * as source from './evm-lightning-cases.ts';

type P = ArkadeEvmProgress;
type Events = readonly Event[];

const { arkadeEvmTerms: t, evmSeen, evmTxid, lockIs, clocksOn } = arkade;
const clock: Event = { is: 'clock' };
const funding: Event = { is: 'vhtlc.seen', coins: [coin()] };
const prepared = (purpose: EvmPurpose, txid: string): Event => ({ is: 'evm.prepared', purpose, txid });
const alreadyDone = (purpose: EvmPurpose): Event => ({ is: 'evm.already-done', purpose });
const standing = evmSeen([arkade.seenLock(lockIs.active)], start + 61);

/** Where a swap is after these events, each a second after the one before, and what the last of them asked for. */
function follow(events: Events, from: P = { at: 'pending', fenced: false }, at = start + 60): { p: P; asks: string[] } {
  let p = from;
  let asks: string[] = [];
  for (const [i, event] of events.entries()) {
    const step = arkadeEvm.step(t, p, event, clocksOn(at + i));
    asks = step === 'stay' ? [] : step.effects.map((effect) => (effect.do === 'evm.send' ? effect.act.is : effect.do));
    if (step !== 'stay') p = step.progress;
  }
  return { p, asks };
}

/** By a look that began later than anything that was heard. */
const later = (...locks: Parameters<typeof evmSeen>[0]): Event => evmSeen(locks, arkade.lockEnds + 1_000);
const there = arkade.seenLock(lockIs.active);
const locked = follow([funding, prepared('lock', evmTxid.lock), standing]).p;

test('fault 84, evm: a lock that is said to stand is made once a later look shows none', () => {
  const { p, asks } = follow([funding, alreadyDone('lock'), later()]);
  expect([p.at, asks]).toEqual(['funded', ['lock']]);
});

test('fault 84, evm: a relay that is said to be done is asked for again once our lock stands', () => {
  const { p } = follow([arkade.claimRequest, alreadyDone('relay-claim'), later(there)], locked);
  const again = follow([arkade.claimRequest], p);
  expect([p.at, again.asks]).toEqual(['locked', ['relay-claim']]);
});

test('fault 84, evm: our refund that is said to be done is made once our lock stands', () => {
  const { p, asks } = follow([clock, alreadyDone('refund'), later(there)], locked, arkade.lockEnds + 60);
  expect([p.at, asks]).toEqual(['refunding', ['refund']]);
});

test('fault 122, evm: our refund that was said to be done by a wall a day ahead waits for no day', () => {
  const refunding = follow([clock], locked, arkade.lockEnds + 60).p;
  const [ahead, now] = [clocksOn(arkade.lockEnds + 86_400), clocksOn(arkade.lockEnds + 90)];
  const halted = arkadeEvm.step(t, refunding, alreadyDone('refund'), ahead);
  const again =
    halted === 'stay' ? halted : arkadeEvm.step(t, halted.progress, evmSeen([there], arkade.lockEnds + 90), now);
  expect(again).toMatchObject({ progress: { at: 'refunding' }, effects: [{ act: { is: 'refund' } }] });
});

test('fault 122, evm: nor does the client wait a day for its own, where no lock of ours stands', () => {
  const ahead = clocksOn(start + 86_400);
  const refused: Event = { is: 'evm.refused', purpose: 'lock', reason: 'no' };
  const doubtful = arkadeEvm.step(t, follow([funding]).p, refused, ahead);
  const settled = doubtful === 'stay' ? doubtful : arkadeEvm.step(t, doubtful.progress, evmSeen([], start + 90), ahead);
  expect(settled === 'stay' ? settled : 'doubt' in settled.progress).toBe(false);
});

test('fault 84, evm: a lock that one RPC alone shows, and nobody made, is none of ours', () => {
  const invented = arkade.seenLock(lockIs.active, { confirmations: 0, doubt: 'no other RPC answers' });
  expect(follow([funding, evmSeen([invented])]).p.at).toBe('funded');
  const { p, asks } = follow([funding, alreadyDone('lock'), evmSeen([invented])]);
  expect([p.at, asks]).toEqual(['funded', ['lock']]);
  // Its own preimage proves what it opens, and a lock of which a second one shows the transaction is ours as well.
  const claimed = arkade.seenLock(lockIs.claimed, { confirmations: 0 });
  expect([follow([funding, evmSeen([claimed])]).p.at, follow([funding, standing]).p.at]).toEqual([
    'claiming',
    'locked',
  ]);
});

test('fault 84, evm: a client’s refund that one RPC calls done is asked for as often as it is not', () => {
  const { evmLightningTerms: terms, seenLock, askRefund, evmClocksAt, lookAt, fresh } = source;
  let p: EvmLightningProgress = fresh;
  const hear = (event: Event, at: number): number => {
    const step = evmLightning.step(terms, p, event, evmClocksAt(at));
    if (step !== 'stay') p = step.progress;
    return step === 'stay' ? 0 : step.effects.length;
  };
  const late = terms.payBefore + 60;
  hear(lookAt([seenLock()], late), late);
  const asks = Array.from({ length: 6 }, () => {
    const effects = hear(askRefund(seenLock()), late);
    hear(alreadyDone('relay-refund'), late);
    return effects;
  });
  expect([p.at, asks]).toEqual(['stopped', [1, 1, 1, 1, 1, 1]]);
});
