import type { OnchainEffect } from '../../../legs/onchain/effects.ts';
import type { Acts, Lane } from '../act.ts';
import { broadcast } from './broadcast.ts';
import { consolidate } from './consolidate.ts';
import { prepareFunding } from './fund.ts';
import { resend } from './resend.ts';
import { prepareBump, prepareSend } from './send.ts';
import { prepareHtlcSpend } from './spend.ts';

const ends: Lane = { side: 'bitcoin', begins: false };
/** A funding, and the claim of what it paid, until they are buried: our refund of it waits for neither. */
const keeps: Lane = { ...ends, keeps: true };

export const onchainActs: Acts<OnchainEffect> = {
  'onchain.broadcast': { run: broadcast, lane: ({ push }) => (push === undefined ? ends : keeps) },
  'onchain.send': { run: prepareSend, lane: () => ({ side: 'bitcoin', begins: true, wallet: 'bitcoin' }) },
  'onchain.bump': { run: prepareBump, lane: () => ends },
  'onchain.consolidate': { run: consolidate, lane: () => ({ side: 'bitcoin', begins: true, wallet: 'bitcoin' }) },
  'htlc.fund': { run: prepareFunding, lane: () => ({ side: 'bitcoin', begins: true, wallet: 'bitcoin' }) },
  'htlc.spend': { run: prepareHtlcSpend, lane: () => ends },
  'htlc.resend': { run: resend, lane: () => keeps },
};
