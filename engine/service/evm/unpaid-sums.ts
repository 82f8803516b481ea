import type { Network } from '../../domain/chain.ts';
import { sats, type Sats } from '../../domain/money.ts';
import { day } from '../../domain/time.ts';
import { both, usedUp, withMore, type Unpaid as Sums } from '../../quote/unpaid.ts';
import type { Whose } from '../../store/outlays.ts';
import type { LockRoom } from './lock-room.ts';
import type { Paying } from './paying.ts';

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

export function judge(
  own: Own,
  network: Network,
  { clients, paidBefore }: Whose,
  counted: Counted = {},
): 'all' | 'client' | null {
  return usedUp(sumsOf(own, network, clients, counted), most(own), paidBefore);
}

/** Whether everybody together left room, whatever the client itself used up (facts/faults.md 282). */
export function isRoom(
  own: Own,
  network: Network,
  { paidBefore, except }: { readonly paidBefore: boolean; readonly except: string },
): boolean {
  return judge(own, network, { clients: [], paidBefore }, { except, isNext: true }) === null;
}
