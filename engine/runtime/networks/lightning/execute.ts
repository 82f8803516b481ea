import { toHex } from '../../../domain/hex.ts';
import type { LightningEffect } from '../../../legs/lightning/effects.ts';
import { within, type Acts, type Lane } from '../act.ts';
import { cancelHold, createHold, settleFromMemory, settleHold } from './hold.ts';
import { pay } from './pay.ts';

const begins: Lane = { side: 'lightning', begins: true };
const ends: Lane = { side: 'lightning', begins: false };

const on = within('lightning');

type Home = Extract<LightningEffect, { do: 'hold.settle' | 'hold.cancel' }>;

/** What ends a payment that is held for us. */
export const lightningHome: Acts<Home, 'lightning'> = {
  'hold.settle': {
    run: on(settleHold),
    lane: () => ends,
    fromMemory: { takes: ({ hash }) => toHex(hash), take: settleFromMemory },
  },
  'hold.cancel': { run: on(cancelHold), lane: () => ends },
};

export const lightningActs: Acts<LightningEffect, 'lightning'> = {
  ...lightningHome,
  'hold.create': { run: on(createHold), lane: () => begins },
  pay: { run: on(pay), lane: () => begins },
};
