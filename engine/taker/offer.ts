import { z } from 'zod';
import type { Client, Signal } from '../contract/client.ts';
import { quote, swapPairs } from '../contract/records/market.ts';
import { nodeStatus, version } from '../contract/records/node.ts';
import { chainIdOf } from '../domain/chain.ts';
import { checksummed } from '../domain/evm-address.ts';
import type { Cost, NoOfferCode, ProviderFault } from '../domain/taker.ts';
import { failedAtProvider } from '../legs/provider/failures.ts';
import { calling, mostDigits, type Answered } from './answers.ts';
import { takenDirections } from './directions.ts';
import type { Inquiry, ListedPair, ListedToken, Offer } from './port.ts';

/*
 * What a provider would do for an amount, before anything is begun: shown beside what others would. Only the record of
 * a create is judged.
 */

type None = Extract<Offer, { is: 'none' }>;
type Quoted = z.infer<typeof quote>;
type Reply = Answered | { readonly failed: 'away' };

const quoteTerms = quote.pick({
  exchange_rate: true,
  network_fee: true,
  gasless_network_fee: true,
  protocol_fee: true,
  min_amount: true,
  max_amount: true,
  net_source_amount: true,
  net_target_amount: true,
});
/** Networks by whatever name: a provider may know more of them than we do. */
const pairsOffered = z.object({
  pairs: swapPairs.shape.pairs.element
    .pick({ min_sats: true, max_sats: true })
    .extend({ source: z.string(), target: z.string() })
    .array(),
});
const tokensOffered = z.object({
  evm_tokens: z.object({ chain: z.string(), token_id: z.string() }).array(),
});
const pausing = nodeStatus.pick({ swaps_paused: true });

/** Asks a provider for its price, and where it has none for the reason. Never rejects for what a provider does. */
export async function offerOf(client: Client, inquiry: Inquiry, signal: Signal): Promise<Offer> {
  const ends = endsOf(inquiry);
  const query = {
    source_chain: ends.source.chain,
    source_token: ends.source.token,
    target_chain: ends.target.chain,
    target_token: ends.target.token,
    [inquiry.side === 'source' ? 'source_amount' : 'target_amount']: inquiry.amount.toString(),
  };
  const [quoted, listed] = await Promise.all([
    replyOf(() => client.call('quote', { query: query as never }, signal)),
    replyOf(() => client.call('swapPairs', {}, signal)),
  ]);
  if ('failed' in quoted) return none(quoted.failed);
  if ('value' in quoted) {
    const read = quoteTerms.safeParse(quoted.value);
    return read.success ? judged(read.data, inquiry) : none('unreadable');
  }
  if (!('value' in listed)) return none('failed' in listed ? listed.failed : 'unreadable', { detail: quoted.refused });
  const offered = pairsOffered.safeParse(listed.value);
  if (!offered.success) return none('unreadable');
  const pair = offered.data.pairs.find(
    ({ source, target }) => source === ends.source.chain && target === ends.target.chain,
  );
  const paused = pair === undefined || quoted.status === 503 ? await isPaused(client, signal) : false;
  if (paused) return none('paused');
  if (pair === undefined) return none('pair-missing');
  const limits = { least: BigInt(pair.min_sats), most: BigInt(pair.max_sats) };
  const sats = inSats(inquiry.amount, inquiry.side, inquiry);
  if (sats !== null && sats < limits.least) return none('below-minimum', limits);
  if (sats !== null && sats > limits.most) return none('above-maximum', limits);
  return none('declined', { ...limits, detail: quoted.refused });
}

/** What is wrong with an address that shall be a provider: version and pairs are read as every client reads them. */
export async function faultOf(client: Client, signal: Signal): Promise<ProviderFault | null> {
  const [named, listed] = await Promise.all([
    replyOf(() => client.call('version', {}, signal)),
    replyOf(() => client.call('swapPairs', {}, signal)),
  ]);
  for (const one of [named, listed]) if ('failed' in one) return one.failed;
  if (!('value' in named) || !version.safeParse(named.value).success) return 'unreadable';
  const offered = 'value' in listed ? pairsOffered.safeParse(listed.value) : null;
  if (offered === null || !offered.success) return 'unreadable';
  if (offered.data.pairs.length > 0 || (await isPaused(client, signal))) return null;
  return 'nothing-offered';
}

/** What a provider lists now, by the names of networks; nothing where it does not answer as one. */
export async function pairsOf(client: Client, signal: Signal): Promise<readonly ListedPair[]> {
  const listed = await replyOf(() => client.call('swapPairs', {}, signal));
  const read = 'value' in listed ? pairsOffered.safeParse(listed.value) : null;
  return read?.success === true ? read.data.pairs : [];
}

/** What a provider lists on EVM chains now; nothing where it does not answer as one. */
export async function tokensOf(client: Client, signal: Signal): Promise<readonly ListedToken[]> {
  const listed = await replyOf(() => client.call('tokens', { query: {} }, signal));
  const read = 'value' in listed ? tokensOffered.safeParse(listed.value) : null;
  return read?.success === true ? read.data.evm_tokens : [];
}

/** Both ends as quotes and pairs name them. */
function endsOf({ direction, token }: Inquiry) {
  const { source, target } = takenDirections[direction];
  const end = (of: string) =>
    of !== 'evm' || token === null
      ? { chain: of, token: 'btc' }
      : { chain: String(chainIdOf(token.chain)), token: checksummed(token.exchanged ?? token.pegged.address) };
  return { source: end(source), target: end(target) };
}

async function replyOf(call: () => Promise<unknown>): Promise<Reply> {
  try {
    return await calling(call, [503]);
  } catch (cause) {
    if (failedAtProvider(cause, 'provider-away', 'provider-unclear')) return { failed: 'away' };
    throw cause;
  }
}

/** A paused provider lists nothing and says so in its status; one that says nothing of it is not paused. */
async function isPaused(client: Client, signal: Signal): Promise<boolean> {
  const answered = await replyOf(() => client.call('status', {}, signal));
  if (!('value' in answered)) return false;
  const read = pausing.safeParse(answered.value);
  return read.success && read.data.swaps_paused === true;
}

function judged(
  quoted: Omit<Quoted, 'source_amount' | 'target_amount' | 'protocol_fee_rate'>,
  inquiry: Inquiry,
): Offer {
  const { net_source_amount: give, net_target_amount: get } = quoted;
  if (give.length > mostDigits || get.length > mostDigits) return none('unreadable');
  const source = BigInt(give);
  const target = BigInt(get);
  const limits = { least: BigInt(quoted.min_amount), most: BigInt(quoted.max_amount) };
  const fees = BigInt(quoted.protocol_fee + quoted.network_fee + quoted.gasless_network_fee);
  const exchanged = inquiry.token?.exchanged !== undefined;
  const sourceSats = inSats(source, 'source', inquiry) ?? 0n;
  // What an exchange brings is nobody's bitcoin: the lock holds what the fees leave.
  const targetSats = inSats(target, 'target', inquiry) ?? sourceSats - fees;
  const pinned = inquiry.side === 'source' ? source : target;
  // An answer to another question, or one by which the provider pays for it, is refused at the create too.
  if (pinned !== inquiry.amount || targetSats > sourceSats || target === 0n) return none('unreadable');
  // It locks another token than we do on that chain: no record of it would be accepted.
  if ((quoted.exchange_rate !== '1') !== exchanged) return none('pair-missing');
  if (targetSats < limits.least) return none('below-minimum', limits);
  if (targetSats > limits.most) return none('above-maximum', limits);
  return { is: 'offer', source, target, costs: costsOf(quoted, sourceSats - targetSats, inquiry), ...limits };
}

/** A token with more decimals than bitcoin is cut off to whole sats, at either end by less than one. */
function costsOf(
  {
    protocol_fee,
    network_fee,
    gasless_network_fee,
  }: Pick<Quoted, 'protocol_fee' | 'network_fee' | 'gasless_network_fee'>,
  difference: bigint,
  { token }: Inquiry,
): readonly Cost[] {
  const parts: Cost[] = [
    { part: 'service', sats: BigInt(protocol_fee) },
    { part: 'network', sats: BigInt(network_fee) },
    { part: 'gasless', sats: BigInt(gasless_network_fee) },
  ];
  const rest = difference - parts.reduce((sum, { sats }) => sum + sats, 0n);
  const rounded = token !== null && token.pegged.decimals > 8 ? 1n : 0n;
  return rest === 0n || rest === rounded ? parts.filter(({ sats }) => sats > 0n) : [];
}

/**
 * The worth of smallest units, rounded down: what swaps lock on an EVM chain is worth as much bitcoin. Null for a token
 * that is exchanged.
 */
function inSats(amount: bigint, side: 'source' | 'target', { direction, token }: Inquiry): bigint | null {
  const isToken = takenDirections[direction][side] === 'evm';
  if (isToken && token?.exchanged !== undefined) return null;
  return isToken && token !== null ? (amount * 100_000_000n) / 10n ** BigInt(token.pegged.decimals) : amount;
}

/** How a provider that gave no offer is told of. */
export function none(why: NoOfferCode, more: Partial<Pick<None, 'least' | 'most' | 'detail'>> = {}): None {
  return { is: 'none', why, least: null, most: null, detail: null, ...more };
}
