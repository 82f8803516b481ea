import { randomUUID } from 'node:crypto';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import type { Hash160, PublicKey, XOnly } from '../domain/hash.ts';
import { xOnlyOf } from '../domain/hash.ts';
import type { Sats } from '../domain/money.ts';
import { earlierOf, isRead, until, type ReadClocks, type Unix } from '../domain/time.ts';
import { encodeArkadeAddress, arkadePrefix } from '../legs/arkade/address.ts';
import { vhtlcScript } from '../legs/arkade/script.ts';
import type { OperatorInfo } from '../legs/arkade/port.ts';
import type { VhtlcTerms } from '../legs/arkade/terms.ts';
import { vhtlcDelays } from '../legs/timelocks.ts';
import { isStorageFailure } from '../store/failure.ts';
import type { Store } from '../store/store.ts';
import type { Effect, Machine } from '../swap/machine.ts';
import type { Entry } from '../runtime/working-set.ts';
import type { ServiceContext } from './context.ts';
import { isComparison } from './reconciliation.ts';

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
  readonly userId: string;
  readonly value: Sats;
  /** What speaks against the swap when its turn has come: judged in the same transaction in which its hash is taken. */
  readonly refused: () => Refusal | null;
  /** What is promised to the swap until it uses it. */
  readonly reserve: readonly { readonly network: string; readonly amount: Sats }[];
  readonly build: (
    key: { readonly index: number; readonly publicKey: PublicKey },
    clocks: ReadClocks,
  ) => { terms: T; progress: P; effects: readonly Effect[] } | Refusal;
}

export const used = {
  preimage: 'a swap with this preimage hash exists already: choose another secret.',
  invoice: 'a swap with this invoice exists already: ask the payee for a new invoice.',
} as const;

/** The answer to a hash that cannot be had: published clients look for its first words. */
export function usedHash(hashOf: keyof typeof used): Refusal {
  return refuse('hash-used', used[hashOf]);
}

/**
 * Saves a new swap: its hash taken for ever, its key index, its terms and its promise of liquidity, in one commit, which
 * swaps that are opened at the same time share.
 */
export async function openSwap<T, P extends { readonly at: string }>(
  context: ServiceContext,
  opening: Opening<T, P>,
): Promise<Entry | Refusal> {
  const { runtime } = context;
  const id = randomUUID();
  let taken = -1;

  function open(): Entry {
    const refused = opening.refused();
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
      for (const { network, amount } of opening.reserve) store.reservations.hold(id, network, amount);
      return {
        row: {
          id,
          machine: opening.machine.name,
          createdAt: now,
          updatedAt: now,
          version: 0,
          status: opening.machine.status(progress),
          open: true,
          flag: null,
          userId: opening.userId,
          valueSats: opening.value,
          terms,
          progress,
        },
        effects,
      };
    });
  }

  try {
    const entry = await runtime.commits.together(open);
    context.highWater.used(taken);
    // The next swap's key, while nobody waits for it.
    setImmediate(() => context.signer({ branch: 'swap', index: taken + 1 }));
    return entry;
  } catch (cause) {
    if (cause instanceof Refused) return cause.refusal;
    if (isStorageFailure(cause))
      return refuse(
        'unavailable',
        'The database cannot be written now, and no swap is opened before it can: the owner must free disk space.',
      );
    throw cause;
  }
}

/** The VHTLC of a new swap: its terms, script and address. */
export function vhtlcOf(
  context: ServiceContext,
  operator: OperatorInfo,
  parts: { sender: PublicKey; receiver: PublicKey; hash: Hash160; refundLocktime: Unix; clocks: ReadClocks },
): { vhtlc: VhtlcTerms; script: Uint8Array; address: string } {
  const delays = vhtlcDelays({
    exitDelay: operator.exitDelay,
    leg: until(earlierOf(parts.clocks), parts.refundLocktime),
    policy: context.policy,
  });
  const vhtlc: VhtlcTerms = {
    sender: xOnlyOf(parts.sender),
    receiver: xOnlyOf(parts.receiver),
    operator: operator.signer,
    hash: parts.hash,
    refundLocktime: parts.refundLocktime,
    ...delays,
  };
  const script = vhtlcScript(vhtlc);
  const address = encodeArkadeAddress({
    prefix: arkadePrefix(context.config.network),
    operator: operator.signer as XOnly,
    outputKey: script.outputKey,
  });
  return { vhtlc, script: script.pkScript, address };
}

/** What stops every new swap: a pause, by the owner or the guard. */
export function notNow(context: ServiceContext): Refusal | null {
  const paused = context.runtime.guard.paused();
  if (paused === null) return null;
  if (paused.by === 'owner' && !isComparison(paused.reason))
    return refuse('unavailable', `New swaps are paused: ${paused.reason}`);
  // The node's own words may name a wallet, a disk or an operator, and are the owner's to know: who knows which payments
  // were forgotten knows which locks cannot be taken back.
  return refuse('unavailable', 'New swaps are paused: what is open is being looked at. Try again later.');
}
