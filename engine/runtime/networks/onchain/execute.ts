import type { OnchainEffect } from '../../../legs/onchain/effects.ts';
import type { Acts, Lane } from '../act.ts';
import { broadcast } from './broadcast.ts';
import { prepareBump, prepareSend } from './send.ts';

const ends: Lane = { side: 'bitcoin', begins: false };

export const onchainActs: Acts<OnchainEffect> = {
  'onchain.broadcast': { run: broadcast, lane: () => ends },
  'onchain.send': { run: prepareSend, lane: () => ({ side: 'bitcoin', begins: true, wallet: 'bitcoin' }) },
  'onchain.bump': { run: prepareBump, lane: () => ends },
};
