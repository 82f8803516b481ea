import { z } from 'zod';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import { sameBytes, type Sha256 } from '../domain/hash.ts';
import { noSats, type Sats } from '../domain/money.ts';
import { toHex } from '../domain/hex.ts';
import type { Price } from '../quote/fees.ts';
import type { DoorContext } from './context.ts';
import { createFields, hashField, invoiceField, keyField, read } from './fields.ts';
import { cheapest, offerOf, outsideOffer, ratesFor } from './offer.ts';
import { noPair, openThrough } from './opening.ts';
import { submarine } from './pair.ts';
import { priceOfInvoice } from './price.ts';
import { bip21Of, repeated, timeoutsOf, treeOf } from './replies.ts';
import { sidesOf, type ArkLock, type BtcLock } from './sides.ts';
import type { DoorSwap } from './swap.ts';

const body = z.looseObject({
  ...createFields,
  invoice: invoiceField.optional(),
  preimageHash: hashField.optional(),
  refundPublicKey: keyField,
});

/** POST swap/submarine: the client locks, and we pay its invoice, which it names now or within the funding window. */
export async function createSubmarine(door: DoorContext, given: unknown, client: string | null) {
  const request = read(body, given);
  if (isRefusal(request)) return request;
  const pair = request.to === 'BTC' ? pairFrom(request.from) : null;
  if (pair === null) return noPair(request);
  const { refundPublicKey: refundKey, invoice, webhook } = request;
  const hash = hashOf(door, request);
  if (isRefusal(hash)) return hash;
  const offer = offerOf(door, pair);
  if (isRefusal(offer)) return offer;
  const amount = invoice?.amount ?? noSats;
  const outside = invoice === undefined ? null : outsideOffer(amount, offer);
  const rates = outside ?? ratesFor(door, pair, offer, request.pairHash ?? null);
  if (isRefusal(rates)) return rates;
  const priceOf = (named: Sats): Price => cheapest(rates.map((rate) => priceOfInvoice(named, rate)));
  const [price, least] = invoice === undefined ? [null, priceOf(offer.minimal).source] : [priceOf(amount), undefined];
  const swap = await openThrough(door, { keys: [refundKey.key], price, hash, least, webhook, client }, (common) =>
    door.service.create(
      pair.direction,
      { ...common, refundKey, payee: { is: 'invoice', bolt11: invoice?.bolt11 ?? '', amount }, signsClaim: true },
      null,
      client,
    ),
  );
  return isRefusal(swap) ? swap : { ...reply(swap), ...repeated(request) };
}

/** Of a swap whose invoice is named later: an invoice says its own, and none beside it is another. */
function hashOf(
  { context }: DoorContext,
  { invoice, preimageHash }: Pick<z.output<typeof body>, 'invoice' | 'preimageHash'>,
): Sha256 | undefined | Refusal {
  if (invoice === undefined) return preimageHash ?? refuse('invalid', 'invoice, preimageHash: it takes one of them');
  if (preimageHash === undefined) return undefined;
  const decoded = context.decodeInvoice(invoice.bolt11);
  if (isRefusal(decoded)) return decoded;
  return sameBytes(decoded.hash, preimageHash)
    ? undefined
    : refuse('invalid', 'preimageHash: the invoice has another one');
}

function pairFrom(from: string) {
  return from === 'ARK' || from === 'BTC' ? submarine[from] : null;
}

function reply(swap: DoorSwap) {
  const { source } = sidesOf(swap);
  if (source === null) throw new Error(`swap ${swap.id} has no lock of its client`);
  const { address, serverKey, amount } = source;
  return {
    id: swap.id,
    address,
    claimPublicKey: toHex(serverKey),
    ...(amount === noSats ? {} : expected(source)),
    ...(source.on === 'ARK'
      ? { timeoutBlockHeights: timeoutsOf(source.terms) }
      : {
          timeoutBlockHeight: Number(source.timeout),
          swapTree: treeOf(source.terms),
          ...(amount === noSats ? { bip21: bip21Of(source) } : {}),
        }),
  };
}

/** What the client has to lock, once that is known. */
export function expected(source: ArkLock | BtcLock) {
  return {
    expectedAmount: Number(source.amount),
    acceptZeroConf: source.on === 'ARK',
    ...(source.on === 'ARK' ? {} : { bip21: bip21Of(source) }),
  };
}
