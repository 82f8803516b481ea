import type { BitcoinNetwork } from '../domain/chain.ts';
import { policyFaultsOf } from './policy.ts';
import { configSchema, type ParsedConfig, type Timing } from './schema.ts';

const normal = configSchema.parse({}).timing;

/** Which of these timings protect money, and must not be shortened where money is real. */
const protective = [
  'clientLegSeconds',
  'serviceLegSeconds',
  'marginSeconds',
  'fundingWindowSeconds',
  'medianTimeLagSeconds',
] as const satisfies readonly (keyof Timing)[];

/**
 * Clients read the fee as a fraction and multiply in eighteen decimals, where some rates come out below what they are:
 * such a client shows a fee of one sat less than the create then takes (facts/clients.md 34).
 */
function readTooLow(bps: number): boolean {
  return BigInt(Math.round((bps / 10_000) * 1e18)) < BigInt(bps) * 10n ** 14n;
}

/** The nearest rate, below first, that clients read as it is. */
function readable(bps: number): number {
  for (let away = 1; ; away++)
    for (const near of [bps - away, bps + away]) if (near >= 0 && !readTooLow(near)) return near;
}

/** What must hold between the numbers, asserted at boot: one sentence for the first that does not, null when all do. */
export function brokenRelation(config: ParsedConfig, network: BitcoinNetwork): string | null {
  const { timing, terms, flood, bitcoin } = config;
  if (terms.minSats > terms.maxSats)
    return `terms.minSats (${terms.minSats}) is above terms.maxSats (${terms.maxSats}): lower the one or raise the other.`;
  const [few, many] = bitcoin.confirmations;
  if (many < few)
    return (
      `bitcoin.confirmations asks for fewer (${many}) above ${bitcoin.confirmationsAboveSats} sats than below ` +
      `(${few}): raise the second.`
    );
  if (readTooLow(terms.feeBps))
    return (
      `terms.feeBps cannot be ${terms.feeBps}: as a fraction of binary digits that is a little less, and clients ` +
      `would show one satoshi less than a swap costs. Set ${readable(terms.feeBps)}.`
    );
  if (network !== 'regtest')
    for (const name of protective)
      if (timing[name] < normal[name])
        return (
          `timing.${name} is ${timing[name]} s, on ${network} it must be at least ${normal[name]} s: shorter values ` +
          'are for regtest.'
        );
  if (network !== 'regtest' && timing.fastBlockSeconds > normal.fastBlockSeconds)
    return (
      `timing.fastBlockSeconds is ${timing.fastBlockSeconds} s, on ${network} it must be at most ` +
      `${normal.fastBlockSeconds} s: blocks come that fast at times.`
    );
  const faults = policyFaultsOf({ timing, network });
  if (faults.length > 0) return faults.join(' ');
  if (timing.createWaitSeconds > timing.fundingWindowSeconds)
    return (
      `timing.createWaitSeconds (${timing.createWaitSeconds}) is longer than timing.fundingWindowSeconds ` +
      `(${timing.fundingWindowSeconds}).`
    );
  if (flood.burst < flood.perSecond)
    return (
      `flood.burst (${flood.burst}) is below flood.perSecond (${flood.perSecond}): a bucket holds at least what ` +
      'flows in a second.'
    );
  return null;
}
