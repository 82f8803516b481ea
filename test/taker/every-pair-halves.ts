// Every half of the client's, with the terms, the deal and the events that it knows of one direction of today.
import { unix, type Clocks } from '../../engine/domain/time.ts';
import type { Leg as Network } from '../../engine/legs/leg.ts';
import { claimOnArkade } from '../../engine/taker/halves/arkade/claim/half.ts';
import { fundOnArkade } from '../../engine/taker/halves/arkade/fund/half.ts';
import { claimOnBitcoin } from '../../engine/taker/halves/bitcoin/claim/half.ts';
import { fundOnBitcoin } from '../../engine/taker/halves/bitcoin/fund/half.ts';
import type { ClientClaim } from '../../engine/taker/halves/claim.ts';
import { claimOnEvm } from '../../engine/taker/halves/evm/claim/half.ts';
import { fundOnEvm } from '../../engine/taker/halves/evm/fund/half.ts';
import type { ClientFund, Dealt, FundStage } from '../../engine/taker/halves/fund.ts';
import { fundOverLightning } from '../../engine/taker/halves/lightning/invoice.ts';
import { paidOverLightning } from '../../engine/taker/halves/lightning/payout.ts';
import type { Leg } from '../../engine/taker/terms.ts';
import { everyCase, type AnyCase } from './every-case.ts';
import { start, type Telling } from '../swap/cases.ts';

export type AnyFund = ClientFund<object, Dealt, Dealt & { readonly at: FundStage }>;
export type AnyClaim = ClientClaim<object, Leg, object, object>;

/** A moment at which what was given to this network is ours again, whatever time it is anywhere else. */
export function unlocked(network: Network, now: Clocks): Clocks {
  const late = unix(start + 30 * 86_400);
  if (network === 'evm') return { ...now, 'evm:137': { mtp: late, height: 70_000_000 } };
  return network === 'lightning' ? now : { ...now, bitcoin: { ...now.bitcoin, mtp: late } };
}

interface Side<H> {
  readonly half: H;
  readonly terms: object;
  readonly leg: Leg;
  readonly tellings: readonly Telling[];
}

/** What a half hears: of its network, with its purposes, and of what belongs to no network. */
function heardBy({ events }: AnyCase, kinds: RegExp, leg: Network, purposes: readonly string[]): Telling[] {
  return events.filter(({ event }) => {
    if ('leg' in event && event.leg !== leg) return false;
    if ('purpose' in event && !purposes.includes(event.purpose)) return false;
    return kinds.test(event.is);
  });
}

function sideOf<H>(half: unknown, from: AnyCase, side: 'source' | 'target', tellings: readonly Telling[]): Side<H> {
  const { deal } = from.first;
  if (deal === undefined) throw new Error(`${from.machine.name} begins without a deal`);
  return { half: half as H, terms: from.terms, leg: deal[side], tellings };
}

const {
  'arkade-lightning': arkadeLightning,
  'arkade-evm': arkadeEvm,
  'bitcoin-arkade': bitcoinArkade,
  'evm-lightning': evmLightning,
  'evm-bitcoin': evmBitcoin,
  'lightning-arkade': lightningArkade,
} = everyCase;

const ofProvider = '^(provider.(seen|declined|relayed)|refund|cancel|clock';

export const funds: Readonly<Record<Network, Side<AnyFund>>> = {
  arkade: sideOf(
    fundOnArkade,
    arkadeLightning,
    'source',
    heardBy(arkadeLightning, new RegExp(`${ofProvider}|vhtlc)`), 'arkade', ['refund']),
  ),
  bitcoin: sideOf(
    fundOnBitcoin,
    bitcoinArkade,
    'source',
    heardBy(bitcoinArkade, new RegExp(`${ofProvider}|htlc|onchain)`), 'bitcoin', ['refund']),
  ),
  evm: sideOf(
    fundOnEvm,
    evmLightning,
    'source',
    heardBy(evmLightning, new RegExp(`${ofProvider}|evm)`), 'evm', ['taker-approve', 'relay-fund', 'taker-refund']),
  ),
  lightning: sideOf(
    fundOverLightning,
    lightningArkade,
    'source',
    heardBy(lightningArkade, new RegExp(`${ofProvider})`), 'lightning', []),
  ),
};

export const claims: Readonly<Record<Network, Side<AnyClaim>>> = {
  arkade: sideOf(
    claimOnArkade,
    bitcoinArkade,
    'target',
    heardBy(bitcoinArkade, /^(vhtlc|onchain)/, 'arkade', ['claim']),
  ),
  bitcoin: sideOf(claimOnBitcoin, evmBitcoin, 'target', heardBy(evmBitcoin, /^(htlc|onchain)/, 'bitcoin', ['claim'])),
  evm: sideOf(
    claimOnEvm,
    arkadeEvm,
    'target',
    heardBy(arkadeEvm, /^(evm|clock|provider.(claim|declined|relayed))/, 'evm', ['taker-claim']),
  ),
  lightning: sideOf(paidOverLightning, evmLightning, 'target', []),
};
