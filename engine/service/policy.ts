import type { Config } from '../config.ts';
import { seconds } from '../domain/time.ts';
import { defaultPolicy, policyFaults, type TimeoutPolicy } from '../legs/timelocks.ts';

/** The timeouts of new swaps, from the configuration; throws at boot when they contradict each other. */
export function policyOf(config: Config): TimeoutPolicy {
  const { timing } = config;
  const policy: TimeoutPolicy = {
    ...defaultPolicy,
    clientLeg: seconds(timing.clientLegSeconds),
    serverLeg: seconds(timing.serviceLegSeconds),
    longestLeg: seconds(timing.longestLegSeconds),
    fundingWindow: seconds(timing.fundingWindowSeconds),
    margin: seconds(timing.marginSeconds),
    fastBlock: seconds(timing.fastBlockSeconds),
    mtpLag: seconds(timing.medianTimeLagSeconds),
    ...(config.network === 'regtest' ? { leastClaimTime: seconds(Math.min(defaultPolicy.leastClaimTime, Math.floor(timing.serviceLegSeconds / 4))) } : {}),
  };
  const faults = policyFaults(policy);
  if (faults.length > 0) throw new Error(faults.join(' '));
  return policy;
}
