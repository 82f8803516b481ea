import type { LightningEffect } from '../../../legs/lightning/effects.ts';
import type { Acts, Lane } from '../act.ts';
import { cancelHold, createHold, settleFromMemory, settleHold } from './hold.ts';
import { pay } from './pay.ts';

const begins: Lane = { side: 'lightning', begins: true };
const ends: Lane = { side: 'lightning', begins: false };

export const lightningActs: Acts<LightningEffect> = {
  'hold.create': { run: createHold, lane: () => begins },
  'hold.settle': { run: settleHold, lane: () => ends, fromMemory: settleFromMemory },
  'hold.cancel': { run: cancelHold, lane: () => ends },
  pay: { run: pay, lane: () => begins },
};
