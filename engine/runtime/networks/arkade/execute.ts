import { outpointKey } from '../../../domain/outpoint.ts';
import type { ArkadeEffect } from '../../../legs/arkade/effects.ts';
import { within, type Acts, type EffectOf, type Lane, type TakenFromMemory } from '../act.ts';
import { prepareExit, prepareSweep } from './exit.ts';
import { claimFromMemory, finalizeFromMemory } from './from-memory.ts';
import { prepareLock } from './lock.ts';
import { unlessBrought } from './on-chain.ts';
import { settle } from './settle.ts';
import { finalize, submit } from './submit.ts';
import { prepareClaim, prepareRefund } from './take.ts';
import { unroll } from './unroll.ts';

const begins: Lane = { side: 'arkade', begins: true };
const ends: Lane = { side: 'arkade', begins: false };
/** The operator has signed: nobody else gets the coin any more. */
const finishes: Lane = { ...ends, finishes: true };
/** A coin that left the operator is the chain's. */
const leaves: Lane = { side: 'bitcoin', begins: false };

/**
 * An operator may ban a script for minutes (facts/arkade.md 38): a claim or refund that it refused is made again at
 * leisure.
 */
const firstRepeatMs = 15_000;

const ofClaim: TakenFromMemory<EffectOf<'vhtlc.claim'>> = {
  takes: ({ coin }) => outpointKey(coin),
  take: claimFromMemory,
};
const ofFinalize: TakenFromMemory<EffectOf<'vhtlc.finalize'>> = {
  takes: ({ purpose, coin, txid }) => (purpose !== 'claim' ? null : coin === undefined ? txid : outpointKey(coin)),
  take: finalizeFromMemory,
};

const on = within('arkade');

type Home = Extract<
  ArkadeEffect,
  { do: `vhtlc.${'claim' | 'refund' | 'submit' | 'finalize' | 'settle' | 'exit'}` | 'arkade.unroll' | 'arkade.sweep' }
>;

/**
 * What takes a coin of ours, or brings it to the chain, and what finishes the lock of one that the operator has half.
 */
export const arkadeHome: Acts<Home, 'arkade'> = {
  'vhtlc.claim': { run: on(unlessBrought(prepareClaim)), lane: () => ends, firstRepeatMs, fromMemory: ofClaim },
  'vhtlc.refund': { run: on(unlessBrought(prepareRefund)), lane: () => ends, firstRepeatMs },
  'vhtlc.submit': { run: on(unlessBrought(submit)), lane: ({ purpose }) => (purpose === 'lock' ? begins : ends) },
  'vhtlc.finalize': { run: on(unlessBrought(finalize)), lane: () => finishes, fromMemory: ofFinalize },
  'vhtlc.settle': { run: on(unlessBrought(settle)), lane: () => ends },
  'vhtlc.exit': { run: on(prepareExit), lane: () => leaves },
  'arkade.unroll': { run: on(unroll), lane: () => leaves },
  'arkade.sweep': { run: on(prepareSweep), lane: () => ({ ...leaves, begins: true }) },
};

export const arkadeActs: Acts<ArkadeEffect, 'arkade'> = {
  ...arkadeHome,
  'vhtlc.lock': { run: on(prepareLock), lane: () => ({ ...begins, wallet: 'arkade' }) },
};
