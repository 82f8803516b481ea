import { setImmediate as turn } from 'node:timers/promises';
import { z } from 'zod';
import type { DoorCall } from '../api/door.ts';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import { asPublicKey, xOnlyOf, type PublicKey, type XOnly } from '../domain/hash.ts';
import { toHex } from '../domain/hex.ts';
import { noSats } from '../domain/money.ts';
import { vhtlcScript } from '../legs/arkade/script.ts';
import { bip32 } from '../legs/secp256k1.ts';
import type { DoorContext } from './context.ts';
import { keyField, read } from './fields.ts';
import { idsOfKey } from './of-key.ts';
import { leafOf, timeoutsOf, treeOf } from './replies.ts';
import { sidesOf, type ArkLock, type BtcLock } from './sides.ts';
import { findSwap, type DoorSwap } from './swap.ts';
import { statusNow } from './status.ts';
import type { Waiting } from './waiting.ts';

const mostKeys = 100;
/** Swaps of one answer, those of each key that were ever funded before the others, the newest first. */
const mostSwaps = 1_000;
/** Swaps that are paid for at once: all of them may cost more than a client ever has. */
const paidAtOnce = 20;
/** Where clients keep the keys of their swaps below the extended key that they show, and how many may go unused. */
const usualPath = 'm/44/0/0/0';
const usualGap = 50;
const mostGap = 150;
/** Keys that one request has us derive. */
const mostDerivations = 1_000;
/** Keys between two turns of the event loop, units for each, and how many come with the request itself. */
const keysAtOnce = 10;
const keyCost = 0.5;
const keysPaidFor = 40;

const body = z.looseObject({
  publicKey: keyField.optional(),
  publicKeys: z.array(keyField).max(mostKeys, `it takes at most ${mostKeys} keys`).optional(),
  xpub: z.string().max(200).optional(),
  derivationPath: z
    .string()
    .regex(/^m(\/\d{1,10}){0,8}$/, 'it takes a path of unhardened numbers')
    .default(usualPath),
  gapLimit: z.int().min(1).max(mostGap, `it takes at most ${mostGap}`).default(usualGap),
  pagination: z
    .looseObject({
      startIndex: z.int().min(0).max(0x7fff_0000).default(0),
      limit: z.int().min(1).max(mostDerivations, `it takes at most ${mostDerivations}`).default(mostDerivations),
    })
    .optional(),
});

interface Matches {
  readonly ids: readonly string[];
  /** Of a key below the extended one; undefined for any other. */
  indexOf(key: XOnly): number | undefined;
}

/**
 * POST swap/restore: the swaps of keys, or of those below an extended key. Whoever names a key learns what was made
 * with it, and nothing else: a key without swaps and one that nobody has are answered alike.
 */
export async function restoreSwaps(
  door: DoorContext,
  given: unknown,
  caller: Pick<DoorCall, 'client' | 'charge' | 'signal'>,
): Promise<object | Refusal> {
  const waiting = door.waiting(caller);
  try {
    return await restored(door, given, caller, waiting);
  } finally {
    waiting.end();
  }
}

async function restored(
  door: DoorContext,
  given: unknown,
  { charge }: Pick<DoorCall, 'charge'>,
  waiting: Waiting,
): Promise<object | Refusal> {
  const request = read(body, given);
  if (isRefusal(request)) return request;
  const { xpub, publicKey, publicKeys = [] } = request;
  const named = publicKey === undefined ? publicKeys : [publicKey, ...publicKeys];
  const keys = new Map(named.map(({ key }) => [toHex(key), key]));
  if (xpub === undefined && keys.size === 0)
    return refuse('invalid', 'publicKey, publicKeys, xpub: it takes one of them');
  const matches =
    xpub === undefined ? await ofNamed(door, [...keys.values()]) : await below(door, xpub, request, waiting);
  if (isRefusal(matches)) return matches;
  const { ids, indexOf } = matches;
  const wait = charge(Math.min(ids.length, paidAtOnce));
  if (wait > 0) return refuse('flood', `Too many requests: wait ${wait} seconds.`, wait);
  const items = [];
  for (const [at, id] of ids.entries()) {
    // As soon as its client can: who has many swaps, or was made many by a stranger, waits for the last of them.
    const unpaid = at > 0 && at % paidAtOnce === 0 ? await waiting.pay(Math.min(ids.length - at, paidAtOnce)) : null;
    if (unpaid !== null) return unpaid;
    // A script of six leaves takes a millisecond, and the node has other things to do.
    await turn();
    const swap = findSwap(door, id);
    if (isRefusal(swap)) continue;
    // One that a client of Arkade does not read fails all of the answer: it asks by its keys.
    if (xpub === undefined && swap.pair.from !== 'ARK' && swap.pair.to !== 'ARK') continue;
    items.push(itemOf(door, swap, indexOf));
  }
  return items;
}

function idsOf({ context }: DoorContext, key: PublicKey): Promise<string[]> {
  return idsOfKey(context.runtime.store.boltzSwaps, key, mostSwaps);
}

/** Each key in a turn of its own (facts/faults.md 178). */
async function ofNamed(door: DoorContext, keys: readonly PublicKey[]): Promise<Matches> {
  const ofKeys: string[][] = [];
  for (const key of keys) {
    ofKeys.push(await idsOf(door, key));
    await turn();
  }
  return { ids: inTurn(ofKeys), indexOf: () => undefined };
}

/** One of each key in turn: whoever makes swaps with a key that it saw pushes out none of the others. */
function inTurn(ofKeys: readonly (readonly string[])[]): string[] {
  const ids = new Set<string>();
  const longest = Math.max(0, ...ofKeys.map(({ length }) => length));
  for (let place = 0; place < longest; place++)
    for (const ofKey of ofKeys) {
      const id = ofKey[place];
      if (id !== undefined && ids.size < mostSwaps) ids.add(id);
    }
  return [...ids];
}

/**
 * By the keys below an extended one, until so many in a row have no swap: whoever makes swaps far apart has many
 * derived, and pays for them (facts/faults.md 51).
 */
async function below(
  door: DoorContext,
  xpub: string,
  of: Pick<z.output<typeof body>, 'derivationPath' | 'gapLimit' | 'pagination'>,
  waiting: Waiting,
): Promise<Matches | Refusal> {
  const branch = branchOf(xpub, of.derivationPath);
  if (isRefusal(branch)) return branch;
  const { startIndex, limit } = of.pagination ?? { startIndex: 0, limit: mostDerivations };
  const ofKeys: string[][] = [];
  const indexes = new Map<string, number>();
  for (let index = startIndex, unused = 0; index < startIndex + limit && unused < of.gapLimit; index++) {
    if (ofKeys.length % keysAtOnce === 0) {
      const unpaid = ofKeys.length < keysPaidFor ? null : await waiting.pay(keysAtOnce * keyCost);
      if (unpaid !== null) return unpaid;
      await turn();
    }
    const key = branch(index);
    indexes.set(toHex(xOnlyOf(key)), index);
    const ofKey = await idsOf(door, key);
    unused = ofKey.length === 0 ? unused + 1 : 0;
    ofKeys.push(ofKey);
  }
  return { ids: inTurn(ofKeys), indexOf: (key) => indexes.get(toHex(key)) };
}

function branchOf(xpub: string, path: string): ((index: number) => PublicKey) | Refusal {
  try {
    const master = bip32.fromBase58(xpub);
    if (!master.isNeutered()) {
      master.privateKey?.fill(0);
      return refuse('invalid', 'xpub: it is a private key, which must be shown to nobody');
    }
    const branch = path
      .split('/')
      .slice(1)
      .reduce((key, child) => key.derive(Number(child)), master);
    return (index) => asPublicKey(Uint8Array.from(branch.derive(index).publicKey));
  } catch {
    return refuse('invalid', 'xpub, derivationPath: no key can be read of them');
  }
}

function itemOf(door: DoorContext, swap: DoorSwap, indexOf: Matches['indexOf']) {
  const sides = sidesOf(swap);
  const { kind, from, to } = swap.pair;
  const hash = toHex(sides.hash);
  return {
    id: swap.id,
    type: kind,
    status: statusNow(door, swap, sides),
    createdAt: Number(swap.entry.row.createdAt),
    from,
    to,
    preimageHash: hash,
    ...(sides.bolt11 === null ? {} : { invoice: sides.bolt11 }),
    ...(sides.source === null ? {} : { refundDetails: detailsOf(sides.source, indexOf) }),
    ...(sides.target === null ? {} : { claimDetails: { ...detailsOf(sides.target, indexOf), preimageHash: hash } }),
  };
}

function detailsOf(lock: ArkLock | BtcLock, indexOf: Matches['indexOf']) {
  const index = indexOf(lock.clientKey);
  return {
    type: 'utxo',
    ...(index === undefined ? {} : { keyIndex: index }),
    ...(lock.amount === noSats ? {} : { amount: Number(lock.amount) }),
    lockupAddress: lock.address,
    serverPublicKey: toHex(lock.serverKey),
    timeoutBlockHeight: Number(lock.timeout),
    ...(lock.on === 'ARK'
      ? { tree: arkTreeOf(lock), timeoutBlockHeights: timeoutsOf(lock.terms) }
      : {
          tree: treeOf(lock.terms),
          ...(lock.coin === null ? {} : { transaction: { id: lock.coin.txid, vout: lock.coin.vout } }),
        }),
  };
}

/** The six leaves by the names of this interface, which calls the receiver of a refund after its provider. */
function arkTreeOf({ terms }: ArkLock) {
  const { leaf } = vhtlcScript(terms);
  return {
    claimLeaf: leafOf(leaf.claim.script),
    refundLeaf: leafOf(leaf.refund.script),
    refundWithoutBoltzLeaf: leafOf(leaf['refund-without-receiver'].script),
    unilateralClaimLeaf: leafOf(leaf['unilateral-claim'].script),
    unilateralRefundLeaf: leafOf(leaf['unilateral-refund'].script),
    unilateralRefundWithoutBoltzLeaf: leafOf(leaf['unilateral-refund-without-receiver'].script),
  };
}
