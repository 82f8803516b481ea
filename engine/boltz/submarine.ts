import { z } from 'zod';
import { isRefusal, refuse } from '../domain/errors.ts';
import { toHex } from '../domain/hex.ts';
import type { DoorContext } from './context.ts';
import { createFields, invoiceField, keyField, read } from './fields.ts';
import { cheapest, offerOf, outsideOffer, ratesFor } from './offer.ts';
import { noPair, openThrough } from './opening.ts';
import { submarine } from './pair.ts';
import { priceOfInvoice } from './price.ts';
import { bip21Of, timeoutsOf, treeOf } from './replies.ts';
import { sidesOf } from './sides.ts';
import type { DoorSwap } from './swap.ts';

const body = z.looseObject({
  ...createFields,
  invoice: invoiceField.optional(),
  refundPublicKey: keyField,
});

/** POST swap/submarine: the client locks, and we pay its invoice. */
export async function createSubmarine(door: DoorContext, given: unknown, client: string | null) {
  const request = read(body, given);
  if (isRefusal(request)) return request;
  const pair = request.to === 'BTC' ? pairFrom(request.from) : null;
  if (pair === null) return noPair(request);
  if (request.invoice === undefined)
    return refuse('invalid', 'invoice: it is missing, and a swap is made for one that is known');
  const { bolt11, amount } = request.invoice;
  const offer = offerOf(door, pair);
  if (isRefusal(offer)) return offer;
  const rates = outsideOffer(amount, offer) ?? ratesFor(door, pair, offer, request.pairHash ?? null);
  if (isRefusal(rates)) return rates;
  const { refundPublicKey: refundKey } = request;
  const swap = await openThrough(
    door,
    {
      keys: [refundKey.key],
      price: cheapest(rates.map((rate) => priceOfInvoice(amount, rate))),
      webhook: request.webhook,
    },
    (common) =>
      door.service.create(
        pair.direction,
        { ...common, refundKey, payee: { is: 'invoice', bolt11, amount } },
        null,
        client,
      ),
  );
  return isRefusal(swap) ? swap : reply(swap);
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
    expectedAmount: Number(amount),
    acceptZeroConf: source.on === 'ARK',
    ...(source.on === 'ARK'
      ? { timeoutBlockHeights: timeoutsOf(source.terms) }
      : {
          timeoutBlockHeight: Number(source.timeout),
          swapTree: treeOf(source.terms),
          bip21: bip21Of(source),
        }),
  };
}
