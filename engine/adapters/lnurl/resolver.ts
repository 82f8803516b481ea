import {
  isValidAmount,
  type LnUrlPayResponse,
  type LnUrlRawData,
  parseLnUrlPayResponse,
} from '@getalby/lightning-tools/lnurl';
import { isRefusal, type Refusal, refuse } from '../../domain/errors.ts';
import { toHex } from '../../domain/hex.ts';
import { msatPerSat, sats, type Sats } from '../../domain/money.ts';
import { mostLooked } from '../../domain/words.ts';
import type { DecodeInvoice } from '../../legs/lightning/invoice.ts';
import type { PayeeRange, PayeeReader, PayTarget } from '../../quote/ports.ts';
import { urlOf } from './address.ts';
import { fetchJson } from './fetch-json.ts';
import { Forbidden, type FetchRules } from './guard.ts';

export interface LnurlOptions {
  readonly decode: DecodeInvoice;
  /** Private places that may be asked all the same, by their origin: the sandbox has one, real networks have none. */
  readonly mayAsk?: (origin: string) => boolean;
  /** Milliseconds for everything together; 10 s when left out. */
  readonly limit?: number;
}

function nowherePrivate(): boolean {
  return false;
}

const defaultLimit = 10_000;
/** All that there will ever be. */
const mostMsat = 21e14 * 1_000;
/** A stranger's words go into our sentence: no longer than this, and in one line. */
const mostReason = 120;

/**
 * Lightning addresses and LNURL-pay. The library reads the answers; the calls are ours, because the library's own
 * follow any redirect to any network, take a third party's proxy, and check neither amount nor description hash.
 */
export function lnurlResolver(options: LnurlOptions): PayeeReader {
  /** Asks for the offer of a place, and what `then` asks after it, all within one time. */
  async function asking<T>(
    target: PayTarget,
    amount: Sats | null,
    then: (offer: LnUrlPayResponse, rules: FetchRules, host: string) => Promise<T | Refusal>,
  ): Promise<T | Refusal> {
    const url = urlOf(target);
    if (isRefusal(url)) return url;
    const rules: FetchRules = {
      mayAsk: options.mayAsk ?? nowherePrivate,
      signal: AbortSignal.timeout(options.limit ?? defaultLimit),
    };
    try {
      const offer = await offerOf(url, rules);
      if (isRefusal(offer)) return offer;
      const outside = amount === null ? null : outsideOf(offer, amount, url.host);
      return outside ?? (await then(offer, rules, url.host));
    } catch (error) {
      if (error instanceof Forbidden)
        return refuse(
          'invalid',
          `The payee at ${url.host} cannot be asked: ${error.message}. Give an invoice instead.`,
        );
      return refuse(
        'unavailable',
        `The payee at ${url.host} did not answer as LNURL-pay asks (${reasonOf(error, rules)}). Try again, or ` +
          'give an invoice.',
      );
    }
  }

  return {
    resolve: (target, amount) =>
      asking(target, amount, (offer, rules, host) => invoiceOf(offer, amount, rules, options.decode, host)),
    check: (target, amount) => asking(target, amount, async () => null),
    range: (target) => asking(target, null, async (offer, _, host) => rangeOf(offer, host)),
  };
}

function outsideOf(offer: LnUrlPayResponse, amount: Sats, host: string): Refusal | null {
  if (isValidAmount({ amount: Number(amount * msatPerSat), min: offer.min, max: offer.max })) return null;
  return refuse(
    'invalid',
    `The payee at ${host} takes ${Math.ceil(offer.min / 1_000)} to ${Math.floor(offer.max / 1_000)} sats; ` +
      `${amount} were to be paid out. Choose an amount in between.`,
  );
}

/** The ends are a stranger's numbers: what is no amount of bitcoin is none. */
function rangeOf({ min, max }: LnUrlPayResponse, host: string): PayeeRange | Refusal {
  const least = Math.max(1, Math.ceil(min / 1_000));
  const most = Math.floor(Math.min(max, mostMsat) / 1_000);
  return Number.isSafeInteger(least) && Number.isSafeInteger(most) && least <= most
    ? { least: sats(BigInt(least)), most: sats(BigInt(most)) }
    : refuse('invalid', `The payee at ${host} takes no whole number of sats. Ask the payee, or give an invoice.`);
}

function reasonOf(error: unknown, rules: FetchRules): string {
  if (rules.signal.aborted) return 'it took too long';
  // The words to it may name what is none of a stranger's business: the owner's proxy, or where a name leads from here.
  const { code } = Object(error) as { readonly code?: unknown };
  if (typeof code === 'string') return oneLine(`it failed with ${code}`);
  return oneLine(error instanceof Error ? error.message : String(error));
}

function oneLine(text: string): string {
  return text
    .replace(/[^\x21-\x7e]+/g, ' ')
    .trim()
    .slice(0, mostReason);
}

async function offerOf(url: URL, rules: FetchRules): Promise<LnUrlPayResponse | Refusal> {
  const answer = record(await fetchJson(url, rules));
  const refused = refusalIn(answer, url.host);
  if (refused !== null) return refused;
  if (typeof answer['metadata'] !== 'string') throw new Error('it sent no metadata');
  // The library looks at it by a pattern that takes the square of its length.
  const { callback } = answer;
  if (typeof callback !== 'string' || callback.length > mostLooked) throw new Error('it sent no callback');
  return parseLnUrlPayResponse(answer as unknown as LnUrlRawData);
}

async function invoiceOf(
  offer: LnUrlPayResponse,
  amount: Sats,
  rules: FetchRules,
  decode: DecodeInvoice,
  host: string,
): Promise<string | Refusal> {
  const msat = amount * msatPerSat;
  const callback = new URL(offer.callback);
  callback.searchParams.set('amount', String(msat));
  const answer = record(await fetchJson(callback, rules));
  const refused = refusalIn(answer, host);
  if (refused !== null) return refused;
  const text = answer['pr'];
  if (typeof text !== 'string') throw new Error('it sent no invoice');
  const invoice = decode(text);
  if (isRefusal(invoice)) return invoice;
  if (invoice.amountMsat !== msat) {
    return refuse(
      'invalid',
      `The payee at ${host} was asked for an invoice over ${msat} millisatoshis and sent one over ` +
        `${invoice.amountMsat ?? 'any amount'}. Ask the payee, or give an invoice.`,
    );
  }
  if (invoice.descriptionHash === null || toHex(invoice.descriptionHash) !== offer.metadataHash) {
    return refuse(
      'invalid',
      `The invoice of the payee at ${host} does not belong to the payment details that it showed. Ask the payee, ` +
        'or give an invoice.',
    );
  }
  return invoice.text;
}

function record(answer: unknown): Record<string, unknown> {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw new Error('it answered something else than an object');
  return answer as Record<string, unknown>;
}

function refusalIn(answer: Record<string, unknown>, host: string): Refusal | null {
  if (String(answer['status']).toUpperCase() !== 'ERROR') return null;
  return refuse('invalid', `The payee at ${host} refuses: ${oneLine(String(answer['reason'] ?? 'no reason given'))}.`);
}
