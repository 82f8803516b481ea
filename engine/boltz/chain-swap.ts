import { z } from 'zod';
import { isRefusal } from '../domain/errors.ts';
import type { DoorContext } from './context.ts';
import { createFields, hashField, keyField, read, satsField } from './fields.ts';
import { cheapest, offerOf, outsideOffer, ratesFor } from './offer.ts';
import { noPair, openThrough } from './opening.ts';
import { chain } from './pair.ts';
import { pricing } from './price.ts';
import { legOf } from './replies.ts';
import { sidesOf } from './sides.ts';
import type { DoorSwap } from './swap.ts';

const body = z.looseObject({
  ...createFields,
  preimageHash: hashField,
  claimPublicKey: keyField,
  refundPublicKey: keyField,
  userLockAmount: satsField.optional(),
  serverLockAmount: satsField.optional(),
});

/** POST swap/chain: the client locks on Arkade, and we on the Bitcoin chain. */
export async function createChain(door: DoorContext, given: unknown, client: string | null) {
  const request = read(body, given);
  if (isRefusal(request)) return request;
  if (request.from !== 'ARK' || request.to !== 'BTC') return noPair(request);
  const amount = pricing('userLockAmount', request.userLockAmount, 'serverLockAmount', request.serverLockAmount);
  if (isRefusal(amount)) return amount;
  const offer = offerOf(door, chain);
  if (isRefusal(offer)) return offer;
  const rates = ratesFor(door, chain, offer, request.pairHash ?? null);
  if (isRefusal(rates)) return rates;
  const price = cheapest(rates.map(amount));
  const outside = outsideOffer(price.source, offer);
  if (outside !== null) return outside;
  const { claimPublicKey: claimKey, refundPublicKey: refundKey, preimageHash: hash } = request;
  const swap = await openThrough(
    door,
    { keys: [refundKey.key, claimKey.key], price, webhook: request.webhook },
    (common) =>
      door.service.create(
        chain.direction,
        {
          ...common,
          claimKey,
          refundKey,
          hash,
          targetAddress: null,
          amount: { pinned: 'target', amount: price.target },
        },
        null,
        client,
      ),
  );
  return isRefusal(swap) ? swap : reply(swap);
}

function reply(swap: DoorSwap) {
  const { source, target } = sidesOf(swap);
  if (source === null || target === null) throw new Error(`swap ${swap.id} has no lock on one of its chains`);
  return { id: swap.id, claimDetails: legOf(target), lockupDetails: legOf(source) };
}
