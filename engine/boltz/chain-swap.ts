import { z } from 'zod';
import { isRefusal } from '../domain/errors.ts';
import { hash160OfSha256 } from '../legs/secret.ts';
import type { DoorContext } from './context.ts';
import { createFields, hashField, keyField, read, satsField } from './fields.ts';
import { cheapest, isServed, offerOf, outsideOffer, ratesFor } from './offer.ts';
import { noPair, openThrough } from './opening.ts';
import { chain } from './pair.ts';
import { pricing } from './price.ts';
import { bip21Of, legOf, repeated } from './replies.ts';
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

/** POST swap/chain: the client locks on Arkade and we on the Bitcoin chain, or the other way round. */
export async function createChain(door: DoorContext, given: unknown, client: string | null) {
  const request = read(body, given);
  if (isRefusal(request)) return request;
  const pair = pairOf(request);
  if (pair === null || !isServed(door, pair)) return noPair(request);
  const amount = pricing('userLockAmount', request.userLockAmount, 'serverLockAmount', request.serverLockAmount);
  if (isRefusal(amount)) return amount;
  const offer = offerOf(door, pair);
  if (isRefusal(offer)) return offer;
  const rates = ratesFor(door, pair, offer, request.pairHash ?? null);
  if (isRefusal(rates)) return rates;
  const price = cheapest(rates.map(amount));
  const outside = outsideOffer(price.source, offer);
  if (outside !== null) return outside;
  const { claimPublicKey: claimKey, refundPublicKey: refundKey, preimageHash: hash } = request;
  const opening = { keys: [refundKey.key, claimKey.key], price, webhook: request.webhook, client };
  const swap =
    pair.from === 'ARK'
      ? await openThrough(door, opening, (common) => {
          const amount = { pinned: 'target', amount: price.target } as const;
          const order = { ...common, claimKey, refundKey, hash, targetAddress: null, amount };
          return door.service.create(pair.direction, order, null, client);
        })
      : await openThrough(door, { ...opening, hash }, (common) => {
          const lock = hash160OfSha256(hash);
          const order = { ...common, claimKey, refundKey, hash: lock, targetAddress: null, receive: price.target };
          return door.service.create(pair.direction, order, null, client);
        });
  return isRefusal(swap) ? swap : { ...reply(swap), ...repeated(request) };
}

function pairOf({ from, to }: { readonly from: string; readonly to: string }) {
  const pair = from === 'ARK' || from === 'BTC' ? chain[from] : null;
  return pair?.to === to ? pair : null;
}

function reply(swap: DoorSwap) {
  const { source, target } = sidesOf(swap);
  if (source === null || target === null) throw new Error(`swap ${swap.id} has no lock on one of its chains`);
  const paid = source.on === 'BTC' ? { bip21: bip21Of(source) } : {};
  return { id: swap.id, claimDetails: legOf(target), lockupDetails: { ...legOf(source), ...paid } };
}
