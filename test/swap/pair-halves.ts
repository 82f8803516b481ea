// Every half of the provider's, with the terms and the events that it knows of one direction of today.
import { unix, type Clocks } from '../../engine/domain/time.ts';
import type { Leg } from '../../engine/legs/leg.ts';
import type { ClaimHalf, ClaimStates } from '../../engine/swap/halves/claim.ts';
import type { FundHalf, FundStates } from '../../engine/swap/halves/fund.ts';
import { claimOnArkade } from '../../engine/swap/halves/arkade/claim/half.ts';
import { fundOnArkade } from '../../engine/swap/halves/arkade/fund/half.ts';
import { claimOnBitcoin } from '../../engine/swap/halves/bitcoin/claim/half.ts';
import { fundOnBitcoin } from '../../engine/swap/halves/bitcoin/fund/half.ts';
import { claimOnEvm } from '../../engine/swap/halves/evm/claim/half.ts';
import { fundOnEvm } from '../../engine/swap/halves/evm/fund/half.ts';
import { claimOnLightning } from '../../engine/swap/halves/lightning/hold/half.ts';
import { pay } from '../../engine/swap/halves/lightning/pay.ts';
import type { State } from '../../engine/swap/provider/direction.ts';
import { arkadeEvmCase } from './arkade-evm-cases.ts';
import { bitcoinArkadeCase, bitcoinArkadeTerms } from './bitcoin-arkade-cases.ts';
import { arkadeLightningCase, lightningArkadeCase, start, type Telling } from './cases.ts';
import { evmBitcoinCase } from './evm-bitcoin-cases.ts';
import { evmClocksAt, evmLightningCase } from './evm-lightning-cases.ts';

export type AnyClaim = ClaimHalf<unknown, ClaimStates>;
export type AnyFund = FundHalf<unknown, FundStates>;

interface Side<H> {
  readonly half: H;
  readonly terms: object;
  readonly tellings: readonly Telling[];
}
export interface ClaimSide extends Side<AnyClaim> {
  readonly first: State;
  /** A claim of the client's that is not sure yet can wait no longer for its end. */
  readonly line: Clocks;
}
export type FundSide = Side<AnyFund>;

/** What a half of this network hears, on the side of the swap that has these purposes. */
function heardBy(of: readonly Telling[], kinds: RegExp, leg: Leg, purposes: readonly string[]): Telling[] {
  return of.filter(({ event }) => {
    if ('leg' in event && event.leg !== leg) return false;
    if ('purpose' in event && !purposes.includes(event.purpose)) return false;
    return kinds.test(event.is);
  });
}

/** Every chain has a clock, whichever of them the case was written for. */
export function withEveryClock(now: Clocks): Clocks {
  const { wall, bitcoin } = now;
  if (now['evm:137'] !== undefined) return now;
  const { 'evm:137': chain } = evmClocksAt(wall);
  return { ...now, 'evm:137': bitcoin.mtp === null ? { mtp: null, height: null } : chain! };
}

function lineAt(at: number): Clocks {
  return { ...evmClocksAt(at), bitcoin: { mtp: unix(at), height: 900_000 + Math.floor((at - start) / 600) } };
}

const { terms: arkade } = arkadeLightningCase;
const bitcoin = bitcoinArkadeTerms;
const { terms: evm } = evmLightningCase;
const { terms: hold } = lightningArkadeCase;

export const claims: Readonly<Record<Leg, ClaimSide>> = {
  arkade: {
    half: claimOnArkade as unknown as AnyClaim,
    terms: arkade,
    first: arkadeLightningCase.first,
    tellings: heardBy(arkadeLightningCase.events, /^(vhtlc|onchain|refund|clock)/, 'arkade', ['claim']),
    line: lineAt(arkade.vhtlc.refundLocktime),
  },
  bitcoin: {
    half: claimOnBitcoin as unknown as AnyClaim,
    terms: bitcoin,
    first: bitcoinArkadeCase.first,
    tellings: heardBy(bitcoinArkadeCase.events, /^(htlc|onchain|clock)/, 'bitcoin', ['claim']),
    line: lineAt(bitcoin.htlc.refundLocktime),
  },
  evm: {
    half: claimOnEvm as unknown as AnyClaim,
    terms: evm,
    first: evmLightningCase.first,
    tellings: heardBy(evmLightningCase.events, /^(evm|fund|clock)/, 'evm', ['relay-fund', 'claim', 'relay-refund']),
    line: lineAt(Number(evm.lock.timelock)),
  },
  lightning: {
    half: claimOnLightning as unknown as AnyClaim,
    terms: hold,
    first: lightningArkadeCase.first,
    tellings: heardBy(lightningArkadeCase.events, /^(hold|abandoned|clock)/, 'lightning', []),
    line: lineAt(start + 600 * hold.cltvDelta),
  },
};

export const funds: Readonly<Record<Leg, FundSide>> = {
  arkade: {
    half: fundOnArkade as unknown as AnyFund,
    terms: bitcoin,
    tellings: heardBy(bitcoinArkadeCase.events, /^(vhtlc|onchain|claim|clock)/, 'arkade', ['lock', 'refund']),
  },
  bitcoin: {
    half: fundOnBitcoin as unknown as AnyFund,
    terms: evmBitcoinCase.terms,
    tellings: heardBy(evmBitcoinCase.events, /^(htlc|onchain|clock)/, 'bitcoin', ['refund']),
  },
  evm: {
    half: fundOnEvm as unknown as AnyFund,
    terms: arkadeEvmCase.terms,
    tellings: heardBy(arkadeEvmCase.events, /^(evm|claim|clock)/, 'evm', ['lock', 'relay-claim', 'refund']),
  },
  lightning: {
    half: pay as unknown as AnyFund,
    terms: arkade,
    tellings: heardBy(arkadeLightningCase.events, /^payment/, 'lightning', []),
  },
};
