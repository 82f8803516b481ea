import type { EvmNetwork, Network } from '../../domain/chain.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import { noSats, plus, type Sats } from '../../domain/money.ts';
import { day } from '../../domain/time.ts';
import { holdsHalf, isFarDearer, usedUp } from '../../quote/unpaid.ts';
import type { UnpaidCosts } from '../../runtime/unpaid.ts';
import type { Entry } from '../../runtime/working-set.ts';
import { refundToCome, type Whose } from '../../store/outlays.ts';
import type { SwapRow } from '../../store/swaps.ts';
import { isUnfunded, placesComeBackAfter, type OpenCreate } from '../create/open-creates.ts';
import { networkAt, type Direction } from '../directions/direction.ts';
import { createLockRoom, type PromisedLock, type Stage } from './lock-room.ts';
import { sentences } from './unpaid-sentences.ts';
import { isRelayCounted, isRoom, judge, most, store, sumsOf, type Own, type Waiting } from './unpaid-sums.ts';
import {
  accountName,
  accountOf,
  addressName,
  chargesOf,
  directionOf,
  havePaid,
  payersOf,
  provenOf,
  showsWhoPays,
  whose,
  type UnpaidContext,
} from './paying.ts';

/** A request that would open a swap, as far as it says who sends it. */
export interface Opener {
  /** The address of the request; null for the owner, whose swaps stop at the whole alone. */
  readonly client: string | null;
  /** The account that it names as its own; null where it names none. */
  readonly account: EvmAddress | null;
}

/**
 * On whose behalf a relay is asked for. `proven`: by a signature of its key, which nobody else can show
 * (facts/faults.md 104).
 */
export interface RelaySigner {
  readonly account: EvmAddress;
  readonly proven: boolean;
}

/** A relay that is to be made for a swap. */
export interface RelayToMake {
  readonly network: EvmNetwork;
  readonly row: SwapRow;
  readonly by: RelaySigner;
  /** Its client paid for it: what was spent for its swap is not held against it (facts/faults.md 260). */
  readonly isPaid: boolean;
}

export interface Unpaid extends UnpaidCosts {
  /**
   * The room that our lock is promised, at what it may cost now, or why no swap of this client is opened. That it paid
   * before is believed here where it can prove it before the lock.
   */
  take(direction: Direction, opener: Opener, cost: Sats): OpenCreate | Refusal;
  /** Whether more may be relayed for a swap. */
  turn(relay: RelayToMake, waiting: readonly Waiting[]): Refusal | null;
  /** The names that the client of a swap goes by, and whether it paid before. */
  whose(row: SwapRow): Whose;
  /** Hears of the swaps that brought their fee. */
  start(): void;
}

/**
 * A client goes by the address that its request came from and by its account on an EVM chain. That it paid before
 * counts only by what nobody else can show: the account that signed its lock, or the keys whose coins paid on Arkade.
 * The address of a request is shared by too many to prove it.
 *
 * What a create promised is counted until it is signed: for the client itself from the create on, for all together from
 * its funding on, for a create costs nothing (facts/faults.md 259). What has room then keeps it (facts/faults.md 282).
 */
export function createUnpaid(context: UnpaidContext): Unpaid {
  const room = createLockRoom((swap, { network, paidBefore }) => isRoom(own, network, { paidBefore, except: swap }));
  const own: Own = { context, openedBy: new Map(), signers: new Map(), payers: new Map(), room };
  const { openedBy, signers, payers } = own;
  /** Swaps whose lock a commit has signed, or was to sign. */
  const noted = new Set<string>();
  const find = (swap: string): SwapRow | null => context.runtime.workingSet.find(swap)?.row ?? null;
  // Of one that cannot be read nothing is said: what others wait for goes on.
  const readable = (swap: string): SwapRow | null => context.runtime.workingSet.readable(swap)?.row ?? null;

  /** In a commit that stands: one that the disk refused leaves its room as it was. */
  function isSigned(swap: string, { network }: PromisedLock): boolean {
    return noted.has(swap) && store(own).outlays.of({ swap, network, place: refundToCome }) !== null;
  }

  return {
    whose: (row) => whose(own, row),
    take: (direction, opener, cost) => take(own, direction, opener, cost),
    turn({ network, row, by: { account, proven }, isPaid }, waiting) {
      const name = accountName(account);
      if (proven) signers.set(row.id, name);
      const { clients, paidBefore } = whose(own, row);
      const names = [...new Set([...clients, name])];
      const except = isPaid ? { except: row.id } : {};
      const which = judge(own, network, { clients: names, paidBefore }, { waiting, ...except });
      return which === null ? null : refuse('flood', sentences.relay[which], day);
    },
    async ready(swap, network) {
      const row = find(swap);
      if (row === null) return;
      if (judge(own, network, whose(own, row), { except: swap, isNext: true }) !== null) await payersOf(own, row);
    },
    full(swap, network, cost) {
      const row = find(swap);
      if (row === null || directionOf(own, row) === null) return null;
      const client = whose(own, row);
      const promised = room.of(swap);
      const isPromised =
        promised !== null &&
        (!promised.paidBefore || client.paidBefore) &&
        (cost === null || !isFarDearer(cost, promised.amount));
      if (isPromised) {
        // Its address had the room at the create. A key or account that paid has its own part, whatever the address.
        const clients = promised.client !== null && client.paidBefore ? provenOf(own, row) : [];
        // What rose since the create rose for its other swaps too: none of them takes this one's place by that.
        const fits = room.fits(swap);
        const rose = fits && cost !== null ? { by: cost, from: promised.amount } : null;
        const which = judge(own, network, { ...client, clients }, { except: swap, isNext: true, rose });
        return which === null || (which === 'all' && fits) ? null : sentences.lock[which];
      }
      const which = judge(own, network, client, { except: swap, isNext: true });
      return which === null ? null : sentences.lock[which];
    },
    relayFull(swap, network, cost) {
      const row = readable(swap);
      const claim = row === null ? null : (directionOf(own, row)?.claim(row) ?? null);
      // What a reorganisation took is made again whoever pays.
      if (row === null || claim?.state.is !== 'sending' || claim.state.stays) return null;
      const isPaid = claim.state.reverts === 0;
      if (isPaid && isRelayCounted(context.runtime, { row, network, cost })) return null;
      // Nobody else's signature was relayed.
      signers.set(swap, accountName(claim.lock.claimAddress));
      const which = judge(own, network, whose(own, row), isPaid ? { except: swap } : {});
      return which === null ? null : sentences.relayed[which];
    },
    charged(swap) {
      const row = readable(swap);
      if (row === null || directionOf(own, row) === null) return null;
      const { feeSats, networkFeeSats } = chargesOf(row);
      return plus(feeSats, networkFeeSats);
    },
    paysRelay(swap) {
      const row = readable(swap);
      return row !== null && directionOf(own, row)?.claim(row)?.gasless === true;
    },
    note(outlay, into, now) {
      const row = readable(outlay.swap);
      if (row === null || directionOf(own, row) === null) return;
      into.outlays.put(outlay, whose(own, row), now);
      // An approval before it is no lock.
      if (outlay.place === refundToCome && room.of(row.id)?.network === outlay.network) noted.add(row.id);
    },
    start() {
      const { runtime } = context;
      // The next start finds them where the disk is full now: none waits for it (facts/faults.md 3).
      runtime.background('taking off what was paid for', () => {
        for (const swap of store(own).outlays.endedWell()) {
          const row = runtime.workingSet.readable(swap)?.row;
          if (row !== undefined) takeOff(own, row);
        }
      });
      for (const { swap, client } of promisedBefore(own)) promiseAgain(own, swap, client);
      runtime.commits.onCommit(({ entry, from }) => {
        const { row } = entry;
        if (row.status === 'serverredeemed' && from.status !== 'serverredeemed')
          runtime.background('who paid for a swap', () => brought(own, row));
        const promised = room.of(row.id);
        if (row.open && promised !== null) room.is(row.id, isSigned(row.id, promised) ? 'over' : stageOf(entry));
        if (row.open) return;
        room.leave(row.id);
        for (const memory of [openedBy, signers, payers, noted]) memory.delete(row.id);
      });
    },
  };
}

function take(own: Own, direction: Direction, opener: Opener, cost: Sats): OpenCreate | Refusal {
  const { client, account } = opener;
  const { room, openedBy, context } = own;
  const { locksOn, unpaidOn, evm } = direction;
  const address = client === null ? null : addressName(client);
  const names = [address, account === null ? null : accountName(account)].filter((name) => name !== null);
  const who = { clients: client === null ? [] : names, paidBefore: isBelieved(own, direction, opener) };
  const onto = unpaidOn.includes(locksOn) ? networkAt(locksOn, evm) : null;
  for (const network of networksOf(direction)) {
    const full = noRoom(own, network, { who, address, more: network === onto ? cost : noSats });
    if (full !== null) return full;
  }
  const opened = (id: string): void => {
    openedBy.set(id, client);
  };
  if (onto === null) return { is: opened, giveBack: () => undefined };
  const lock: PromisedLock = { network: onto, amount: cost, client: address, paidBefore: who.paidBefore };
  const leave = room.hold(lock);
  return {
    is(id) {
      leave();
      opened(id);
      const entry = context.runtime.workingSet.find(id);
      if (entry?.row.open === true) room.put(id, lock, stageOf(entry));
    },
    giveBack: leave,
  };
}

/**
 * Whether a create is promised what is kept for those who paid before. Where no account is named nothing tells them
 * from strangers before the coins that pay on Arkade do: with no room left for strangers it is left to these
 * (facts/faults.md 287).
 */
function isBelieved(own: Own, direction: Direction, { client, account }: Opener): boolean {
  if (client === null) return true;
  if (account !== null) return showsWhoPays(direction) && havePaid(own, [accountName(account)]);
  if (direction.source !== 'Arkade') return false;
  const stranger = { clients: [addressName(client)], paidBefore: false };
  return networksOf(direction).some((network) => judge(own, network, stranger) !== null);
}

/** The networks on which a swap costs us something before its client has paid anything. */
function networksOf({ unpaidOn, evm }: Direction): readonly Network[] {
  return unpaidOn.map((place) => networkAt(place, evm)).filter((network) => network !== null);
}

/** Why a network has no room for one more swap, or null. */
function noRoom(
  own: Own,
  network: Network,
  { who, address, more }: { readonly who: Whose; readonly address: string | null; readonly more: Sats },
): Refusal | null {
  const sums = sumsOf(own, network, who.clients, { waits: true });
  const held = address === null ? noSats : own.room.waiting(network, address);
  const isHalf = holdsHalf({ held, more, all: sums.all }, most(own), who.paidBefore);
  if (usedUp(sums, most(own), who.paidBefore) === null && !isHalf) return null;
  const spent = judge(own, network, who);
  return spent === null
    ? refuse('flood', sentences.waiting.client, placesComeBackAfter)
    : refuse('flood', sentences.create[spent], day);
}

/** Of before a restart, in the order of their fundings, which the journal tells. */
function promisedBefore(own: Own): readonly { readonly swap: string; readonly client: string }[] {
  const { reservations, journal } = store(own);
  const lineOf = (swap: string): number => {
    const entry = own.context.runtime.workingSet.readable(swap);
    return entry === null || stageOf(entry) !== 'due' ? 0 : journal.entered(swap, entry.row.progress.at);
  };
  return reservations
    .clients()
    .map((one) => ({ ...one, line: lineOf(one.swap) }))
    .toSorted((one, other) => one.line - other.line);
}

/** A lock of before a restart, at what its client was charged: nobody is told anew that there is no room for it. */
function promiseAgain(own: Own, swap: string, client: string): void {
  const { room, openedBy, context } = own;
  const entry = context.runtime.workingSet.readable(swap);
  const direction = entry === null ? null : directionOf(own, entry.row);
  if (entry === null || direction === null || !entry.row.open) return;
  openedBy.set(swap, client);
  const { locksOn, unpaidOn } = direction;
  const network = unpaidOn.includes(locksOn) ? networkAt(locksOn, direction.chainOf(entry.row)) : null;
  if (network === null || store(own).outlays.of({ swap, network, place: refundToCome }) !== null) return;
  const lock = { network, amount: chargesOf(entry.row).networkFeeSats, client: addressName(client), paidBefore: false };
  room.put(swap, lock, stageOf(entry));
}

function stageOf({ row, machine }: Entry): Stage {
  if (!machine.reserves(row.progress)) return 'over';
  // What is in no block costs its sender nothing, and may never be in one (facts/faults.md 286).
  return isUnfunded(row) || row.status === 'clientfundingseen' ? 'waiting' : 'due';
}

/**
 * A swap that brought its fee: its client is known from here on, by the account of its lock or claim and by what
 * paid.
 */
async function brought(own: Own, row: SwapRow): Promise<void> {
  const { context, payers } = own;
  if (directionOf(own, row) === null) return; // the owner's own job
  const account = accountOf(own, row);
  const at = context.runtime.clock.now().wall;
  takeOff(own, row);
  if (account !== null) store(own).outlays.paid(accountName(account), at);
  if (directionOf(own, row)?.unpaidOn.length === 0) return;
  for (const name of await payersOf(own, row)) store(own).outlays.paid(name, at);
  payers.delete(row.id);
}

/** What it cost beyond what it brought stays counted (facts/faults.md 261). */
function takeOff(own: Own, row: SwapRow): void {
  const { feeSats, networkFeeSats } = chargesOf(row);
  store(own).atomically(() => store(own).outlays.brought(row.id, plus(feeSats, networkFeeSats)));
}
