import { directionNames, type BitcoinNetwork } from '../domain/chain.ts';
import { readable, readTooLow } from '../domain/fee-rate.ts';
import { settingOf, termsFor, type DirectionTerms } from '../domain/terms.ts';
import { paysOverLightning } from '../legs/block-pace.ts';
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

/** What must hold between the numbers, asserted at boot: one sentence for the first that does not, null when all do. */
export function brokenRelation(config: ParsedConfig, network: BitcoinNetwork): string | null {
  const { timing, terms, flood, bitcoin, lnd } = config;
  const wrongTerms = brokenTerms(terms);
  if (wrongTerms !== null) return wrongTerms;
  const [few, many] = bitcoin.confirmations;
  if (many < few)
    return (
      `bitcoin.confirmations asks for fewer (${many}) above ${bitcoin.confirmationsAboveSats} sats than below ` +
      `(${few}): raise the second.`
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
  if (lnd !== null && !paysOverLightning(network))
    return (
      `lnd cannot be set on ${network}: no swap over Lightning is made there, for its blocks come too fast for the ` +
      'timeouts of payments. Leave it out.'
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
  return brokenAlert(config);
}

/** A way to tell its owner that lacks a part tells nothing, and nobody would know. */
function brokenAlert({ alerts: { ntfy, telegram } }: ParsedConfig): string | null {
  if (ntfy.tokenFile !== null && ntfy.url === null)
    return 'alerts.ntfy.tokenFile is set without alerts.ntfy.url: set the address of the topic, or leave out the token.';
  if ((telegram.chat === null) !== (telegram.tokenFile === null))
    return telegram.chat === null
      ? 'alerts.telegram.tokenFile is set without alerts.telegram.chat: set the chat that the bot writes to.'
      : 'alerts.telegram.chat is set without alerts.telegram.tokenFile: name the file with the token of the bot.';
  return null;
}

/** The same of what swaps cost and may be worth, for all directions and then for each. */
function brokenTerms(terms: ParsedConfig['terms']): string | null {
  const named = directionNames.filter((name) => terms.directions[name] !== undefined);
  const all = { ...terms, setting: (term: keyof DirectionTerms) => `terms.${term}` };
  const each = named.map((name) => ({
    ...termsFor(terms, name),
    setting: (term: keyof DirectionTerms) => settingOf(terms, name, term),
  }));
  for (const { feeBps, minSats, maxSats, setting } of [all, ...each]) {
    if (minSats > maxSats)
      return (
        `${setting('minSats')} (${minSats}) is above ${setting('maxSats')} (${maxSats}): lower the one or raise the ` +
        'other.'
      );
    if (readTooLow(feeBps))
      return (
        `${setting('feeBps')} cannot be ${feeBps}: as a fraction of binary digits that is a little less, and clients ` +
        `would show one satoshi less than a swap costs. Set ${readable(feeBps)}.`
      );
  }
  return null;
}
