import type { EvmNetwork, Network } from '../../domain/chain.ts';
import { noSats, sats, type Sats } from '../../domain/money.ts';
import { day } from '../../domain/time.ts';
import { both, isFarDearer, usedUp, withMore, type Unpaid as Sums } from '../../quote/unpaid.ts';
import type { Core } from '../../runtime/core.ts';
import { relayToCome, type Whose } from '../../store/outlays.ts';
import type { SwapRow } from '../../store/swaps.ts';
import type { LockRoom } from './lock-room.ts';
import { chargesOf, type Paying } from './paying.ts';

export interface Own extends Paying {
  readonly room: LockRoom;
}

/** What was asked for and is not signed yet, by whom. */
export interface Waiting {
  readonly amount: Sats;
  readonly clients: readonly string[];
  readonly paidBefore: boolean;
}

export function store({ context }: Paying) {
  return context.runtime.store;
}

function since({ context }: Paying): number {
  return context.runtime.clock.now().wall - day;
}

export function most({ context }: Paying): Sats {
  return sats(context.config.ceilings.unpaidGasPerDaySats);
}

interface Counted {
  /** What was asked for and is not signed yet. */
  readonly waiting?: readonly Waiting[];
  /** Whether locks of the client count that wait for their funding. */
  readonly waits?: boolean;
  /** A swap that is left out. */
  readonly except?: string;
  /** Whether that swap is to be signed now: what was funded after it does not count. */
  readonly isNext?: boolean;
  /** What costs more than was promised for it has as much more of each part. */
  readonly rose?: { readonly by: Sats; readonly from: Sats } | null;
}

export function sumsOf(
  own: Own,
  network: Network,
  clients: readonly string[],
  { waiting = [], waits = false, except = '', isNext = false }: Counted,
) {
  const from = since(own);
  const { room } = own;
  const { outlays } = store(own);
  const promised = (client: string | null) => room.sum(network, client, { waits, except, isNext });
  const withAll = (sum: Sums, all: readonly Waiting[]): Sums =>
    all.reduce((now, one) => withMore(now, one.amount, one.paidBefore), sum);
  return {
    all: withAll(both(outlays.since(network, from, except), promised(null)), waiting),
    ofClient: clients.map((client) =>
      withAll(
        both(outlays.sinceOf(client, network, from, except), promised(client)),
        waiting.filter((one) => one.clients.includes(client)),
      ),
    ),
  };
}

function risen(amount: Sats, { by, from }: { readonly by: Sats; readonly from: Sats }): Sats {
  return by > from ? sats((amount * by) / from) : amount;
}

export function judge(
  own: Own,
  network: Network,
  { clients, paidBefore }: Whose,
  counted: Counted = {},
): 'all' | 'client' | null {
  const { rose = null } = counted;
  const much = rose === null ? most(own) : risen(most(own), rose);
  return usedUp(sumsOf(own, network, clients, counted), much, paidBefore);
}

/** Whether everybody together left room, whatever the client itself used up (facts/faults.md 282). */
export function isRoom(
  own: Own,
  network: Network,
  { paidBefore, except }: { readonly paidBefore: boolean; readonly except: string },
): boolean {
  return judge(own, network, { clients: [], paidBefore }, { except, isNext: true }) === null;
}

/** A relay of a claim that may cost so much now; null while nobody knows what gas costs. */
interface RelayCost {
  readonly row: SwapRow;
  readonly network: EvmNetwork;
  readonly cost: Sats | null;
}

/**
 * Whether a first relay is counted already by what gas costs now: a token that takes all its gas, or one that waits
 * until gas is dear, has us pay more than the client did (facts/faults.md 246). While nobody knows what gas costs it
 * is as it was at the lock, and where nobody knew it there it was what the client was charged (facts/faults.md 260).
 */
export function isRelayCounted(runtime: Pick<Core, 'store'>, { row, network, cost }: RelayCost): boolean {
  const counted = runtime.store.outlays.of({ swap: row.id, network, place: relayToCome });
  return cost === null || !isFarDearer(cost, counted === noSats ? chargesOf(row).networkFeeSats : (counted ?? noSats));
}
