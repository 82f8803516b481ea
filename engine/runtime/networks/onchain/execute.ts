import { outpointKey } from '../../../domain/outpoint.ts';
import type { OnchainEffect } from '../../../legs/onchain/effects.ts';
import { within, type Acts, type EffectOf, type Lane, type TakenFromMemory } from '../act.ts';
import { broadcast } from './broadcast.ts';
import { consolidate } from './consolidate.ts';
import { claimFromMemory } from './from-memory.ts';
import { prepareFunding } from './fund.ts';
import { resend } from './resend.ts';
import { prepareBump, prepareSend } from './send.ts';
import { prepareHtlcSpend } from './spend.ts';

const ends: Lane = { side: 'bitcoin', begins: false };
/** A funding, and the claim of what it paid, until they are buried: our refund of it waits for neither. */
const keeps: Lane = { ...ends, keeps: true };

const fromMemory: TakenFromMemory<EffectOf<'htlc.spend'>> = {
  takes: ({ purpose, coin }) => (purpose === 'claim' ? outpointKey(coin) : null),
  take: claimFromMemory,
};

const on = within('onchain');

type Home = Extract<OnchainEffect, { do: 'onchain.broadcast' | 'htlc.spend' | 'htlc.resend' }>;

/** What takes a coin of a swap, and keeps its transaction on the chain. */
export const onchainHome: Acts<Home, 'onchain'> = {
  'onchain.broadcast': { run: on(broadcast), lane: ({ push }) => (push === undefined ? ends : keeps) },
  'htlc.spend': { run: on(prepareHtlcSpend), lane: () => ends, fromMemory },
  'htlc.resend': { run: on(resend), lane: () => keeps },
};

export const onchainActs: Acts<OnchainEffect, 'onchain'> = {
  ...onchainHome,
  'onchain.send': { run: on(prepareSend), lane: () => ({ side: 'bitcoin', begins: true, wallet: 'bitcoin' }) },
  'onchain.bump': { run: on(prepareBump), lane: () => ends },
  'onchain.consolidate': { run: on(consolidate), lane: () => ({ side: 'bitcoin', begins: true, wallet: 'bitcoin' }) },
  'htlc.fund': { run: on(prepareFunding), lane: () => ({ side: 'bitcoin', begins: true, wallet: 'bitcoin' }) },
};
