import { z } from 'zod';
import { isRefusal } from '../domain/errors.ts';
import { toHex } from '../domain/hex.ts';
import type { DoorContext } from './context.ts';
import { createFields, descriptionHashField, hashField, keyField, read, satsField } from './fields.ts';
import { cheapest, isServed, offerOf, outsideOffer, ratesFor } from './offer.ts';
import { noPair, openThrough } from './opening.ts';
import { reverse } from './pair.ts';
import { pricing } from './price.ts';
import { repeated, timeoutsOf, treeOf } from './replies.ts';
import { sidesOf } from './sides.ts';
import type { DoorSwap } from './swap.ts';

const body = z.looseObject({
  ...createFields,
  preimageHash: hashField,
  claimPublicKey: keyField,
  invoiceAmount: satsField.optional(),
  onchainAmount: satsField.optional(),
  description: z
    .string()
    .refine((text) => new TextEncoder().encode(text).length <= 639, 'it takes at most 639 bytes')
    .optional(),
  descriptionHash: descriptionHashField.optional(),
});

/** POST swap/reverse: the client pays an invoice that is held, and we lock on Arkade or the Bitcoin chain. */
export async function createReverse(door: DoorContext, given: unknown, client: string | null) {
  const request = read(body, given);
  if (isRefusal(request)) return request;
  const pair = request.from === 'BTC' ? pairTo(request.to) : null;
  if (pair === null || !isServed(door, pair)) return noPair(request);
  const amount = pricing('invoiceAmount', request.invoiceAmount, 'onchainAmount', request.onchainAmount);
  if (isRefusal(amount)) return amount;
  const offer = offerOf(door, pair);
  if (isRefusal(offer)) return offer;
  const rates = ratesFor(door, pair, offer, request.pairHash ?? null);
  if (isRefusal(rates)) return rates;
  const price = cheapest(rates.map(amount));
  const outside = outsideOffer(price.source, offer);
  if (outside !== null) return outside;
  const { claimPublicKey: claimKey, preimageHash: hash, description = null } = request;
  const swap = await openThrough(
    door,
    { keys: [claimKey.key], price, webhook: request.webhook, client, descriptionHash: request.descriptionHash },
    (common) =>
      door.service.create(
        pair.direction,
        {
          ...common,
          claimKey,
          hash,
          description,
          targetAddress: null,
          amount: { pinned: 'target', amount: price.target },
        },
        null,
        client,
      ),
  );
  return isRefusal(swap) ? swap : { ...reply(swap), ...repeated(request) };
}

function pairTo(to: string) {
  return to === 'ARK' || to === 'BTC' ? reverse[to] : null;
}

function reply(swap: DoorSwap) {
  const { target, bolt11 } = sidesOf(swap);
  if (target === null || bolt11 === null) throw new Error(`swap ${swap.id} has no invoice, or no lock of ours`);
  return {
    id: swap.id,
    invoice: bolt11,
    lockupAddress: target.address,
    refundPublicKey: toHex(target.serverKey),
    onchainAmount: Number(target.amount),
    ...(target.on === 'ARK'
      ? { timeoutBlockHeights: timeoutsOf(target.terms) }
      : { timeoutBlockHeight: Number(target.timeout), swapTree: treeOf(target.terms) }),
  };
}
