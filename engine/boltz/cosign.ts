import { z } from 'zod';
import type { OurPartial } from '../api/service.ts';
import { furtherInputs } from '../contract/requests/cosign.ts';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import { toHex } from '../domain/hex.ts';
import { preimageMatches } from '../legs/secret.ts';
import { cooperativeClaim, refundWithoutAsk } from '../service/htlc/cosign.ts';
import { serverClaim, signServerClaim } from '../service/htlc/server-claim.ts';
import type { DoorContext } from './context.ts';
import { nonceField, partialField, preimageField, present, rawTxField, read } from './fields.ts';
import { sidesOf } from './sides.ts';
import { findSwap, type DoorSwap } from './swap.ts';
import { givenUp } from './words.ts';

/** An input of a transaction that the client asks us to sign with it. */
const spend = {
  pubNonce: nonceField,
  transaction: rawTxField,
  index: z.int('it takes a number').min(0, 'it takes 0 or more').max(100, 'it takes at most 100'),
};

/** Of our claim of a coin that its client signs too late: there is nothing left to sign. */
const claimedAlready = refuse('hash-used', 'server claim succeeded already');

/** The whole text is what some clients look for. */
const noClaim = refuse('forbidden', 'swap not eligible for a cooperative claim');

const secret = { preimage: preimageField };
const claimOfReverse = z.looseObject({ ...spend, ...secret });
const claimOfChain = z.looseObject({ preimage: preimageField.optional(), toSign: z.looseObject(spend) });
const secretAlone = z.looseObject(secret);
const partOfOurs = z.looseObject({ pubNonce: nonceField, partialSignature: partialField });
const partOfChain = z.looseObject({ preimage: preimageField.optional(), signature: partOfOurs });
const refundOfSource = z.looseObject(spend);

/**
 * A client that asks for no signature shows its secret and claims by the script. The secret opens nothing here: the
 * claim itself shows it, and until then our lock may come back to us; one that is asked for later may leave it out.
 */
function secretSaid({ secrets }: DoorContext, swap: DoorSwap, given: unknown): object | Refusal {
  const claim = read(secretAlone, given);
  if (isRefusal(claim)) return claim;
  const preimage = preimageMatches(sidesOf(swap).hash, claim.preimage);
  if (preimage === null) return refuse('invalid', 'invalid preimage');
  secrets.put(swap.id, preimage);
  return {};
}

function names(given: unknown, fields: readonly string[]): boolean {
  const body = present(given);
  return typeof body === 'object' && body !== null && fields.some((name) => name in body);
}

const namesTransaction = z.object({ transaction: rawTxField });
const namesItToSign = z.object({ toSign: namesTransaction });

/** Coins beside one that the transaction takes which a body names, wherever it does; 0 where it names none. */
export function furtherInputsOf(body: unknown): number {
  const named = [namesTransaction.safeParse(body).data, namesItToSign.safeParse(body).data?.toSign];
  return Math.max(...named.map((one) => (one === undefined ? 0 : furtherInputs(one.transaction))));
}

/** POST swap/reverse/{id}/claim: the client claims our lock by the key of both, and shows its secret first. */
export async function claimReverse(door: DoorContext, id: string, given: unknown) {
  const swap = findSwap(door, id, 'reverse');
  if (isRefusal(swap)) return swap;
  if (!names(given, Object.keys(spend))) return secretSaid(door, swap, given);
  const request = read(claimOfReverse, given);
  if (isRefusal(request)) return request;
  const { preimage, pubNonce: publicNonce, transaction, index } = request;
  return claimed(
    await cooperativeClaim(door.context, swap.entry.row.id, { preimage, publicNonce, transaction, index }),
  );
}

/** POST swap/chain/{id}/claim: the client claims our lock on the Bitcoin chain, or signs our claim of its own. */
export async function claimChain(door: DoorContext, id: string, given: unknown) {
  const swap = findSwap(door, id, 'chain');
  if (isRefusal(swap)) return swap;
  if (!names(given, ['toSign', 'signature'])) return secretSaid(door, swap, given);
  if (swap.pair.from === 'BTC') {
    const part = read(partOfChain, given);
    return isRefusal(part) ? part : taken(door, swap, part.signature);
  }
  const request = read(claimOfChain, given);
  if (isRefusal(request)) return request;
  const { toSign, preimage = door.secrets.get(id) } = request;
  if (preimage === undefined) return refuse('invalid', 'preimage: it takes 64 hex digits');
  const { pubNonce: publicNonce, transaction, index } = toSign;
  return claimed(
    await cooperativeClaim(door.context, swap.entry.row.id, { preimage, publicNonce, transaction, index }),
  );
}

function claimed(answer: OurPartial | Refusal) {
  if (isRefusal(answer)) return answer.refusal === 'forbidden' ? noClaim : answer;
  return shown(answer);
}

/** POST swap/{submarine,chain}/{id}/refund: the client takes its lock back by the key of both. */
export async function refundSource(door: DoorContext, kind: 'submarine' | 'chain', id: string, given: unknown) {
  const swap = findSwap(door, id, kind);
  if (isRefusal(swap)) return swap;
  const { row } = swap.entry;
  if (swap.pair.from !== 'BTC' || !givenUp.has(row.status))
    return refuse('forbidden', `the swap is not eligible for a cooperative refund (${row.status})`);
  const request = read(refundOfSource, given);
  if (isRefusal(request)) return request;
  const { pubNonce: publicNonce, transaction, index } = request;
  const answer = await refundWithoutAsk(door.context, row.id, { publicNonce, transaction, index });
  return isRefusal(answer) ? answer : shown(answer);
}

/**
 * GET swap/{submarine,chain}/{id}/claim: what the client signs for our claim of its coin. The preimage of a payment is
 * shown at `preimage` since it settled, to the same clients.
 */
export function readOurClaim(door: DoorContext, kind: 'submarine' | 'chain', id: string) {
  const swap = findSwap(door, id, kind);
  if (isRefusal(swap)) return swap;
  const claim = swap.pair.from === 'BTC' ? serverClaim(door.context, swap.entry.row.id) : noClaim;
  if (isRefusal(claim)) return noClaim;
  const { preimage, publicNonce, key, sighash } = claim;
  return {
    ...(kind === 'submarine' ? { preimage: toHex(preimage) } : {}),
    pubNonce: toHex(publicNonce),
    publicKey: toHex(key),
    transactionHash: toHex(sighash),
  };
}

/** POST swap/submarine/{id}/claim. */
export function signOurClaim(door: DoorContext, id: string, given: unknown) {
  const swap = findSwap(door, id, 'submarine');
  if (isRefusal(swap)) return swap;
  const part = read(partOfOurs, given);
  return isRefusal(part) ? part : taken(door, swap, part);
}

function taken(door: DoorContext, { pair, entry }: DoorSwap, part: z.output<typeof partOfOurs>): object | Refusal {
  if (pair.from !== 'BTC') return noClaim;
  if (pair.kind === 'chain' && entry.row.status === 'serverredeemed') return claimedAlready;
  const { pubNonce: publicNonce, partialSignature: partial } = part;
  const refused = signServerClaim(door.context, entry.row.id, { publicNonce, partial });
  if (refused === null) return {};
  return refused.refusal === 'forbidden' ? noClaim : refused;
}

function shown({ publicNonce, partial }: OurPartial) {
  return { pubNonce: toHex(publicNonce), partialSignature: toHex(partial) };
}
