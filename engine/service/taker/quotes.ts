import type { ProviderCheck, TakerQuote, TakerQuotes, TakerQuotesRequest } from '../../contract/taker-quotes.ts';
import type { TakerWays } from '../../contract/taker-ways.ts';
import { providerUrlOf } from '../../contract/taker.ts';
import type { TakerDirection } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { sats } from '../../domain/money.ts';
import { takenDirections } from '../../taker/directions.ts';
import type { OrderedExchange } from '../../taker/evm/exchange.ts';
import type { Inquiry, ListedPair, ListedToken, Offer } from '../../taker/port.ts';
import { none } from '../../taker/offer.ts';
import type { Providers } from '../../taker/port.ts';
import type { ServiceContext } from '../context.ts';
import { casesOf, paySeconds, type Prospect } from './cases.ts';
import { evmOrderOf } from './evm.ts';
import { exchangeOf } from './exchange.ts';
import { usualTimes } from './usual.ts';
import { pairsAmong } from './pairs.ts';
import { worstSeconds } from './worst.ts';

type Context = Pick<ServiceContext, 'runtime' | 'networks' | 'config' | 'policy'> & { readonly providers: Providers };

/** For all providers together: one that is slower is away. */
const patienceMs = 4_000;
/** A page asks again at every touch of a field; a provider answers the same question once in this time. */
const freshMs = 5_000;
/** What a provider lists changes seldom. */
const listedMs = 10_000;
/** Questions that are remembered at once. */
const mostRemembered = 200;

export interface Quoting {
  quotes(request: TakerQuotesRequest): Promise<TakerQuotes | Refusal>;
  check(provider: string): Promise<ProviderCheck>;
  ways(): Promise<TakerWays>;
  /** What the provider answered counts no more: it does not stand by that. */
  forget(provider: string): void;
}

/** Compares providers by what each says that it would do; what is agreed is judged at the create alone. */
export function createQuoting(context: Context): Quoting {
  const offers = rememberedFor<Offer>(freshMs);
  const lists = rememberedFor<readonly ListedPair[]>(listedMs);
  const tokenLists = rememberedFor<readonly ListedToken[]>(listedMs);

  function offerOf(provider: string, inquiry: Inquiry, question: string): Promise<Offer> {
    return offers.read(`${provider} ${question}`, () => {
      const signal = AbortSignal.timeout(patienceMs);
      return within(context.providers(provider).offer(inquiry, signal), signal, none('away'));
    });
  }

  function pairsOf(provider: string): Promise<readonly ListedPair[]> {
    const look = () => {
      const signal = AbortSignal.timeout(patienceMs);
      return within(context.providers(provider).pairs(signal), signal, []);
    };
    // This node is asked at once: what its owner changes shows.
    return provider === '' ? look() : lists.read(provider, look);
  }

  function tokensOf(provider: string): Promise<readonly ListedToken[]> {
    const look = () => {
      const signal = AbortSignal.timeout(patienceMs);
      return within(context.providers(provider).tokens(signal), signal, []);
    };
    return provider === '' ? look() : tokenLists.read(provider, look);
  }

  return {
    async quotes(request) {
      const question = await questionOf(context, request);
      if (isRefusal(question)) return question;
      const { inquiry, spends } = question;
      const { direction, side, chainId, token } = request;
      const { amount } = inquiry;
      const key = `${direction} ${side} ${amount} ${chainId ?? ''} ${token === undefined ? '' : toHex(token)}`;
      const worst = worstSeconds(direction, context.policy);
      const usual = usualTimes(context, direction);
      const rows = await Promise.all(
        urlsOf(context).map(async (url) => {
          const offer = await inGiven(await offerOf(url, inquiry, key), spends);
          const took = usual(url);
          const cases = offer.is === 'none' ? [] : casesOf(prospectOf(context, direction, offer, took));
          return { ...row(url, offer, took, worst), pay_seconds: paySeconds(direction, context.policy), cases };
        }),
      );
      return { quotes: rows.toSorted(bestFirst) };
    },
    async ways() {
      const urls = urlsOf(context);
      const [pairs, tokens] = await Promise.all([Promise.all(urls.map(pairsOf)), Promise.all(urls.map(tokensOf))]);
      return await pairsAmong(context, pairs.flat(), tokens.flat());
    },
    async check(provider) {
      const signal = AbortSignal.timeout(patienceMs);
      return { fault: await within(context.providers(provider).fault(signal), signal, 'away') };
    },
    forget: (provider) => offers.forget((question) => question.startsWith(`${provider} `)),
  };
}

/** Asks once for what is asked for again within a time; a question that is under way counts. */
function rememberedFor<T>(ms: number): {
  read(key: string, ask: () => Promise<T>): Promise<T>;
  forget(which: (key: string) => boolean): void;
} {
  const remembered = new Map<string, { readonly answer: Promise<T>; readonly until: number }>();
  return {
    read(key, ask) {
      const now = performance.now();
      for (const [old, { until }] of remembered) if (until <= now) remembered.delete(old);
      const fresh = remembered.get(key);
      if (fresh !== undefined) return fresh.answer;
      const answer = ask();
      if (remembered.size < mostRemembered) remembered.set(key, { answer, until: now + ms });
      return answer;
    },
    forget(which) {
      for (const key of remembered.keys()) if (which(key)) remembered.delete(key);
    },
  };
}

/** This node first. */
function urlsOf({ config }: Context): readonly string[] {
  return [...new Set(['', ...config.taker.providers.map(providerUrlOf)])];
}

/** `spends`: our own exchange, where another token is given than the one that is asked for. */
interface Question {
  readonly inquiry: Inquiry;
  readonly spends: OrderedExchange | null;
}

async function questionOf(context: Context, request: TakerQuotesRequest): Promise<Question | Refusal> {
  const { direction, side, amount, chainId } = request;
  const { source, target } = takenDirections[direction];
  if (source !== 'evm' && target !== 'evm') return { inquiry: { direction, side, amount, token: null }, spends: null };
  if (chainId === null)
    return refuse('invalid', 'evm_chain_id is required for a swap with an EVM chain: send the number of the chain.');
  // The chain is what matters here; how deep a lock is buried is decided when the swap is made.
  const chain = await evmOrderOf(context, chainId, sats(0));
  if (isRefusal(chain)) return chain;
  const { token } = request;
  if (token === undefined || sameBytes(token, chain.pegged.address))
    return { inquiry: { direction, side, amount, token: chain }, spends: null };
  const exchange = await exchangeOf(context, chainId, token);
  if (isRefusal(exchange)) return exchange;
  if (target === 'evm')
    return { inquiry: { direction, side, amount, token: { ...chain, exchanged: token } }, spends: null };
  // Providers are asked for what they lock against, and never hear of the exchange before it.
  const locked = side === 'source' ? await exchange.makes(amount) : amount;
  if (isRefusal(locked)) return locked;
  return { inquiry: { direction, side, amount: locked, token: chain }, spends: exchange };
}

/** An offer by the token that is given. */
async function inGiven(offer: Offer, spends: OrderedExchange | null): Promise<Offer> {
  if (spends === null || offer.is === 'none') return offer;
  const source = await spends.takes(offer.source);
  return isRefusal(source) ? none('declined', { detail: source.sentence }) : { ...offer, source };
}

/** What a promise says before the signal; a transport need not hear the signal. */
async function within<T>(promise: Promise<T>, signal: AbortSignal, otherwise: T): Promise<T> {
  const late = new Promise<T>((resolve) => signal.addEventListener('abort', () => resolve(otherwise), { once: true }));
  return await Promise.race([promise, late]);
}

type Row = Omit<TakerQuote, 'cases' | 'pay_seconds'>;

function row(url: string, offer: Offer, usual: number | null, worst: number | null): Row {
  const limits = {
    min_sats: offer.least === null ? null : Number(offer.least),
    max_sats: offer.most === null ? null : Number(offer.most),
  };
  if (offer.is === 'none')
    return {
      provider_url: url,
      why: offer.why,
      detail: offer.detail,
      source_amount: null,
      target_amount: null,
      costs: [],
      ...limits,
      usual_seconds: null,
      worst_seconds: null,
    };
  return {
    provider_url: url,
    why: null,
    detail: null,
    source_amount: offer.source.toString(),
    target_amount: offer.target.toString(),
    costs: offer.costs.map(({ part, sats }) => ({ part, sats: Number(sats) })),
    ...limits,
    usual_seconds: usual,
    worst_seconds: worst,
  };
}

/** In sats, where both sides are worth what they say. */
function prospectOf(
  { policy, config, networks }: Context,
  direction: TakerDirection,
  offer: Extract<Offer, { readonly is: 'offer' }>,
  usual: number | null,
): Prospect {
  const { source, target } = takenDirections[direction];
  const seen = networks.arkade();
  const costs = offer.costs.reduce((sum, one) => sum + one.sats, 0n);
  const [gives, gets] = [source === 'evm' ? null : sats(offer.source), target === 'evm' ? null : sats(offer.target)];
  return {
    direction,
    source: gives ?? gets,
    target: gets ?? gives,
    costs: offer.costs.length === 0 ? null : sats(costs),
    usual,
    policy,
    ceilings: config.ceilings,
    exitDelay: seen.state === 'connected' ? seen.facts.info.exitDelay : null,
  };
}

/** By what arrives, then by what is given for it, then by time; equals stay in their order, this node first. */
function bestFirst(one: TakerQuote, other: TakerQuote): number {
  if (one.why !== null || other.why !== null) return Number(one.why !== null) - Number(other.why !== null);
  return (
    by(BigInt(other.target_amount ?? 0), BigInt(one.target_amount ?? 0)) ||
    by(BigInt(one.source_amount ?? 0), BigInt(other.source_amount ?? 0)) ||
    by(one.usual_seconds ?? Infinity, other.usual_seconds ?? Infinity)
  );
}

function by<T extends bigint | number>(one: T, other: T): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
