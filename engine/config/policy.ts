import type { BitcoinNetwork } from '../domain/chain.ts';
import { minute, seconds, type Seconds } from '../domain/time.ts';
import type { ClockLimits, EvmClockLimits } from '../legs/clock-limits.ts';
import { defaultPolicy, policyFaults, type TimeoutPolicy } from '../legs/timeout-policy.ts';
import type { ParsedConfig } from './schema.ts';

/** Which limits on clocks stop new swaps. */
export interface StrictClocks {
  readonly lag: boolean;
  /** Of Bitcoin. */
  readonly tipAge: boolean;
  readonly evmTipAge: boolean;
}

/** What of the configuration says how long anything may take. */
interface Timed {
  readonly timing: ParsedConfig['timing'];
  readonly network: BitcoinNetwork;
  readonly strictClocks: StrictClocks;
}

type Legs = Pick<Timed, 'timing' | 'network'>;

/** The timeouts of new swaps, from the configuration; throws where it was read without asking `policyFaultsOf`. */
export function policyOf(config: Timed): TimeoutPolicy {
  const faults = policyFaultsOf(config);
  if (faults.length > 0) throw new Error(faults.join(' '));
  const [bitcoin, evm] = [clockLimitsOf(config).lag, evmClockLimitsOf(config).tipAge];
  return {
    ...timeoutsOf(config),
    ...(bitcoin.strict ? { bitcoinStillAfter: bitcoin.seconds } : {}),
    ...(evm.strict ? { evmStillAfter: evm.seconds } : {}),
  };
}

/** What contradicts each other in the timeouts of new swaps, a sentence each. */
export function policyFaultsOf(config: Legs): string[] {
  return policyFaults(timeoutsOf(config));
}

function timeoutsOf({ timing, network }: Legs): TimeoutPolicy {
  return {
    ...defaultPolicy,
    clientLeg: seconds(timing.clientLegSeconds),
    serverLeg: seconds(timing.serviceLegSeconds),
    longestLeg: seconds(timing.longestLegSeconds),
    fundingWindow: seconds(timing.fundingWindowSeconds),
    margin: seconds(timing.marginSeconds),
    fastBlock: seconds(timing.fastBlockSeconds),
    mtpLag: seconds(timing.medianTimeLagSeconds),
    ...(network === 'regtest' ? shortened(timing) : {}),
  };
}

/**
 * On regtest legs may be shorter than what happens to a real chain's clock: a quarter of one is what they hold then.
 */
function shortened({
  serviceLegSeconds,
  medianTimeLagSeconds,
}: Timed['timing']): Pick<TimeoutPolicy, 'mtpLag' | 'leastClaimTime'> {
  const quarter = Math.floor(serviceLegSeconds / 4);
  return {
    mtpLag: seconds(Math.min(medianTimeLagSeconds, quarter)),
    leastClaimTime: seconds(Math.min(defaultPolicy.leastClaimTime, quarter)),
  };
}

/** An honest chain is never ahead of true time by more than this; on regtest its miner chooses the time of blocks. */
const behind = { real: minutes(15), regtest: minutes(120) } as const;

function minutes(count: number): Seconds {
  return seconds(count * minute);
}

/**
 * How far Bitcoin's clock may be from the machine's before nothing new is begun over it (DECISIONS.md, "One clock for
 * both legs").
 */
export function clockLimitsOf({ timing, network, strictClocks }: Timed): ClockLimits {
  return {
    lag: { seconds: seconds(timing.medianTimeLagSeconds), strict: strictClocks.lag },
    tipAge: { seconds: seconds(timing.maxTipAgeSeconds.bitcoin), strict: strictClocks.tipAge },
    behind: { seconds: network === 'regtest' ? behind.regtest : behind.real, strict: true },
  };
}

/** The same of EVM chains. What blocks on request do is told and withdraws nothing. */
export function evmClockLimitsOf({ timing, network, strictClocks }: Timed): EvmClockLimits {
  const real = network !== 'regtest';
  return {
    tipAge: { seconds: seconds(timing.maxTipAgeSeconds.evm), strict: strictClocks.evmTipAge },
    ahead: { seconds: real ? behind.real : behind.regtest, strict: real },
    apart: { seconds: seconds(timing.medianTimeLagSeconds), strict: strictClocks.lag },
  };
}
