import { randomUUID } from 'node:crypto';
import type { Service } from '../../api/service.ts';
import { usedWords } from '../../contract/directions/direction.ts';
import type { Creates, Records } from '../../contract/directions/directions.ts';
import type { CreateCommon } from '../../contract/requests/common.ts';
import { evmNetwork, type DirectionName } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import type { Hash160, PublicKey } from '../../domain/hash.ts';
import { btc, noSats, type Purse, type Sats } from '../../domain/money.ts';
import { isRead, type ReadClocks } from '../../domain/time.ts';
import type { Price } from '../../quote/fees.ts';
import { newRow, type Entry } from '../../runtime/working-set.ts';
import { isNoRoom, isStorageFailure } from '../../store/failure.ts';
import type { Store } from '../../store/store.ts';
import type { Effect, Machine } from '../../swap/machine.ts';
import type { ServiceContext } from '../context.ts';
import { onChain, type Direction } from '../directions/direction.ts';
import type { Entries } from '../directions/entry.ts';
import { notNow, tooMuch } from '../limits/limits.ts';
import { shareUsedUp } from '../limits/client-share.ts';
import { createOpenCreates, type OpenCreate } from './open-creates.ts';
import { costOfLock } from '../market/costs.ts';
import { developerOf } from '../owner/developer-keys.ts';

/**
 * The create of every direction: a place among the unfunded swaps of its client, whose key it brings, then the
 * direction's own.
 */
export function swapCreate(context: ServiceContext, entries: Entries): Service['create'] {
  const openCreates = createOpenCreates({
    most: () => context.config.flood.openCreatesPerClient,
    commits: context.runtime.commits,
    row: (id) => context.runtime.workingSet.readable(id)?.row ?? null,
    before: () => (context.forOwner ? [] : openBefore(context)),
  });

  async function ofDirection<D extends DirectionName>(
    direction: D,
    request: Creates[D],
    developerKey: string | null,
    client: string | null,
  ): Promise<Records[D] | Refusal> {
    const developer = developerOf(context, developerKey);
    if (isRefusal(developer)) return developer;
    const entry = entries.find(direction);
    if (entry === null) return notBuilt(direction);
    const room = roomFor(context, entry, request, client);
    return isRefusal(room) ? room : within(room, () => entry.create(context, { ...request, client }, developer));
  }

  return async (direction, request, developerKey, client = null) => {
    const place = client === null ? null : openCreates.take(client);
    if (isRefusal(place)) return place;
    const create = () => ofDirection(direction, request, developerKey, client);
    return place === null ? create() : within(place, create);
  };
}

/** The open swaps of clients, each with its client where liquidity is promised to it. */
function openBefore({ runtime: { store, workingSet }, directions }: ServiceContext) {
  const clients = new Map(store.reservations.clients().map(({ swap, client }) => [swap, client]));
  return [...workingSet.all()]
    .filter(({ row }) => directions.of(row.machine) !== null)
    .map(({ row }) => ({ swap: row.id, client: clients.get(row.id) ?? null }));
}

/** Holds a place for the swap that is made, and gives it back where none is. */
async function within<R extends { readonly id: string }>(
  place: OpenCreate,
  create: () => Promise<R | Refusal>,
): Promise<R | Refusal> {
  let made: string | null = null;
  try {
    const created = await create();
    if (!isRefusal(created)) made = created.id;
    return created;
  } finally {
    if (made === null) place.giveBack();
    else place.is(made);
  }
}

/** What our lock may cost, promised to the swap; or why those that bring no fee leave no room (facts/faults.md 67). */
function roomFor<D extends DirectionName>(
  context: ServiceContext,
  direction: Direction<D>,
  request: Creates[D],
  client: string | null,
): OpenCreate | Refusal {
  const { unpaid } = context;
  if (!('evmChainId' in request))
    return unpaid.take(direction, { client, account: null }, costOfLock(context, direction, false));
  const on = onChain(direction, evmNetwork(request.evmChainId));
  const account = 'claimingAddress' in request ? request.claimingAddress : request.userAddress;
  return unpaid.take(on, { client, account }, costOfLock(context, on, request.gasless));
}

/** Thrown inside the commit that opens a swap, so that nothing of it is saved. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.sentence);
    this.refusal = refusal;
  }
}

export interface Opening<T, P> {
  readonly machine: Pick<Machine<T, P & { readonly at: string }>, 'name' | 'status'>;
  readonly hash: Hash160;
  /** Whose hash it is: the text of the 409 is what published clients branch on (facts/clients.md 5). */
  readonly hashOf: 'preimage' | 'invoice';
  readonly request: Pick<CreateCommon, 'userId' | 'door' | 'client'>;
  /** Null where it is agreed on later. */
  readonly price: Price | null;
  /**
   * What speaks against the swap beside its direction's limits when its turn has come: judged in the same transaction
   * in which its hash is taken.
   */
  readonly refused?: () => Refusal | null;
  /**
   * What of ours a client can take for nothing, because its script takes a secret of any length: the owner's agreement
   * to that is asked, and it is counted and noted before the swap is saved. Null: none of it.
   */
  readonly atRisk?: Sats | null;
  /** What is promised to the swap until it uses it. */
  readonly reserve: readonly { readonly network: Purse; readonly amount: Sats }[];
  readonly build: (
    key: { readonly index: number; readonly publicKey: PublicKey },
    clocks: ReadClocks,
  ) => { terms: T; progress: P; effects: readonly Effect[] } | Refusal;
}

/** What the terms of a swap say of its price. */
export function pricedTerms({ source, target, fee, networkFee }: Price) {
  return { sourceAmount: source, targetAmount: target, feeSats: fee, networkFeeSats: networkFee };
}

export const used = {
  preimage: `${usedWords.preimage}: choose another secret.`,
  invoice: `${usedWords.invoice}: ask the payee for a new invoice.`,
} as const;

/** Of a swap whose invoice is named later. */
export const noPrice: Price = { source: noSats, target: noSats, fee: noSats, networkFee: noSats };

/** The answer to a create whose swap, or what became of it, the disk does not take. */
export const unwritable = refuse(
  'unavailable',
  'The database cannot be written now, and no swap is opened before it can: the owner must free disk space.',
);

/** The answer to a hash that cannot be had: published clients look for its first words. */
export function usedHash(hashOf: keyof typeof used): Refusal {
  return refuse('hash-used', used[hashOf]);
}

/**
 * Saves a new swap: its hash taken for ever, its key index, its terms and its promise of liquidity, in one commit,
 * which swaps that are opened at the same time share.
 */
export async function openSwap<T, P extends { readonly at: string }>(
  context: ServiceContext,
  direction: Direction,
  opening: Opening<T, P>,
): Promise<Entry | Refusal> {
  const { runtime } = context;
  const id = randomUUID();
  let taken = -1;

  function limited(): Refusal | null {
    const { price } = opening;
    const { client = null } = opening.request;
    const over = price === null ? null : tooMuch(context, direction, price);
    const share = (): Refusal | null => shareUsedUp(context, direction, { ...opening, swap: id, client });
    return notNow(context) ?? over ?? share() ?? opening.refused?.() ?? null;
  }

  /** Outside of the data folder too, while no swap has the hash yet: where it cannot be, the hash is free. */
  async function noteRisk(amount: Sats): Promise<Refusal | null> {
    const isUsed = runtime.store.hashes.usedBy(opening.hash) !== null;
    const refused = limited() ?? (isUsed ? usedHash(opening.hashOf) : null) ?? atRisk(context, id, amount);
    return refused ?? (await context.loose?.noted()) ?? null;
  }

  function open(): Entry {
    // How many more asked while others were asked is looked at again.
    const { price, reserve } = opening;
    const { client = null } = opening.request;
    const refused = limited();
    if (refused !== null) throw new Refused(refused);
    const clocks = runtime.clock.now();
    if (!isRead(clocks))
      throw new Refused(refuse('unavailable', 'The Bitcoin clock cannot be read now: try again later.'));
    const now = clocks.wall;
    return runtime.commits.open(id, (store: Store) => {
      if (!store.hashes.claim(opening.hash, id)) throw new Refused(usedHash(opening.hashOf));
      const index = store.counters.take('swap');
      context.highWater.reach(index);
      taken = index;
      const { publicKey } = context.signer({ branch: 'swap', index });
      const built = opening.build({ index, publicKey }, clocks);
      if (isRefusal(built)) throw new Refused(built);
      const { terms, progress, effects } = built;
      for (const { network, amount } of reserve) store.reservations.hold(id, btc(network, amount), client);
      opening.request.door?.opened(id);
      const unagreed = atRisk(context, id, opening.atRisk ?? null);
      if (unagreed !== null) throw new Refused(unagreed);
      return {
        row: newRow({
          id,
          machine: opening.machine.name,
          createdAt: now,
          status: opening.machine.status(progress),
          userId: opening.request.userId,
          valueSats: price?.target ?? noSats,
          terms,
          progress,
        }),
        effects,
      };
    });
  }

  try {
    const risk = opening.atRisk ?? null;
    const unnoted = risk === null ? null : await noteRisk(risk);
    if (unnoted !== null) throw new Refused(unnoted);
    const entry = await runtime.commits.together(open);
    context.highWater.used(taken);
    // The next swap's key, while nobody waits for it.
    setImmediate(() => context.signer({ branch: 'swap', index: taken + 1 }));
    return entry;
  } catch (cause) {
    if (cause instanceof Refused) {
      context.loose?.release(id);
      return cause.refusal;
    }
    if (!isStorageFailure(cause)) throw cause;
    // Where it is not known whether it was saved it counts on (facts/faults.md 313).
    if (isNoRoom(cause) && isUnsaved(context, id)) context.loose?.release(id);
    return unwritable;
  }
}

function isUnsaved({ runtime }: ServiceContext, id: string): boolean {
  try {
    return runtime.store.swaps.head(id) === null;
  } catch {
    return false;
  }
}

/** Counts it before the swap is saved or amended; `noted` says when it counts in every copy of the database. */
export function atRisk({ loose }: ServiceContext, id: string, amount: Sats | null): Refusal | null {
  if (amount === null) return null;
  return loose === undefined
    ? refuse('unavailable', 'This node offers no lock that takes secrets of any length.')
    : loose.reserve(id, amount);
}

/** A create of a direction that this build does not have, whatever is connected. */
function notBuilt(direction: DirectionName): Refusal {
  const [source, target] = direction
    .split('-')
    .map((side) => (side === 'evm' ? 'an EVM chain' : `${side.slice(0, 1).toUpperCase()}${side.slice(1)}`));
  return refuse(
    'unavailable',
    `This version of the node does not swap from ${source} to ${target} yet: GET /swap-pairs lists what it swaps.`,
  );
}
