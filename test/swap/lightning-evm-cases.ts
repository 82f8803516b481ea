import { unix, type Clocks } from '../../engine/domain/time.ts';
import { holdLockLegs } from '../../engine/legs/lightning/timelocks.ts';
import { defaultPolicy as policy } from '../../engine/legs/timeout-policy.ts';
import {
  lightningEvm,
  type LightningEvmProgress,
  type LightningEvmTerms,
} from '../../engine/swap/directions/lightning-evm.ts';
import type { LockTerms } from '../../engine/legs/evm/swap-key.ts';
import { arkadeEvmCase, arkadeEvmTerms, clocksOn, network } from './arkade-evm-cases.ts';
import { clocksAt, lightningArkadeCase, lightningArkadeTerms, start, type Case, type Telling } from './cases.ts';

const at = { ...clocksAt(start), [network]: { mtp: start, height: 1_000 } };
const legs = holdLockLegs({ clocks: at, network, policy });
if ('refusal' in legs) throw new Error(legs.sentence);
// The lock is the very one of a swap from Arkade: what is told of it there is told here.
const lock: LockTerms = { ...arkadeEvmTerms.lock, timelock: BigInt(legs.timelock) };

const { sourceAmount, feeSats, networkFeeSats, description } = lightningArkadeTerms;
const { targetSats, contracts, pegged, target, targetAmount, floor, targetAddress, gasless, since, burial } =
  arkadeEvmTerms;

export const lightningEvmTerms: LightningEvmTerms = {
  hash: arkadeEvmTerms.hash,
  ...{ sourceAmount, feeSats, networkFeeSats, description, policy },
  fundBefore: legs.fundBefore,
  lockBefore: legs.lockBefore,
  cltvDelta: legs.cltvDelta,
  back: legs.back,
  ...{ targetSats, network, contracts, lock, pegged, target, targetAmount, floor, targetAddress, gasless },
  ...{ since, burial },
};

/** With the clock of the EVM chain beside that of Bitcoin: as far as it is told, or true to a second. */
function onBoth(now: Clocks): Clocks {
  return network in now ? now : { ...now, [network]: { mtp: now.wall, height: 1_000 } };
}

const lockEnds = legs.timelock;
const ofOurs: readonly Telling[] = arkadeEvmCase.events.filter(({ event: { is } }) => !is.startsWith('vhtlc.'));
const ofTheirs: readonly Telling[] = lightningArkadeCase.events
  .filter(({ event: { is } }) => is.startsWith('hold.') || is === 'abandoned')
  .map((telling) => ({ ...telling, now: onBoth(telling.now) }));
const held = ofTheirs.find(({ label }) => label === 'hold.seen held')!;

export const lightningEvmCase: Case<LightningEvmTerms, LightningEvmProgress> = {
  machine: lightningEvm,
  terms: lightningEvmTerms,
  first: { at: 'opening' },
  events: [
    ...ofTheirs,
    ...ofOurs,
    { ...held, label: 'hold.seen held, EVM clock unread', now: clocksOn(start + 60, null) },
    { ...held, label: 'hold.seen held, too late on the EVM chain', now: clocksOn(start + 60, legs.lockBefore + 1) },
    { label: 'clock, funding window over', event: { is: 'clock' }, now: clocksOn(lightningEvmTerms.fundBefore) },
    { label: 'clock, one second before the timelock', event: { is: 'clock' }, now: clocksOn(unix(lockEnds - 1)) },
  ],
};
