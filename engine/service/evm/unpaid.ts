import type { Config } from '../../config.ts';
import type { EvmNetwork, Network } from '../../domain/chain.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { sats, type Sats } from '../../domain/money.ts';
import type { Outpoint } from '../../domain/outpoint.ts';
import { day } from '../../domain/time.ts';
import { payersIn } from '../../legs/arkade/payers.ts';
import { usedUp, withMore } from '../../quote/unpaid.ts';
import type { Core } from '../../runtime/core.ts';
import type { UnpaidCosts } from '../../runtime/unpaid.ts';
import type { Whose } from '../../store/outlays.ts';
import type { SwapRow } from '../../store/swaps.ts';
import type { SwapDeposit } from '../deposit/swap-deposit.ts';
import { networkAt, type Direction, type Directions } from '../directions/direction.ts';

interface Context {
  readonly runtime: Core;
  readonly directions: Directions;
  readonly config: Config;
}

/** What was asked for and is not signed yet, by whom. */
export interface Waiting {
  readonly amount: Sats;
  readonly clients: readonly string[];
  readonly paidBefore: boolean;
}

/** A request that would open a swap, as far as it says who sends it. */
export interface Opener {
  /** The address of the request; null for the owner, whose own swaps have no ceiling. */
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

export interface Unpaid extends UnpaidCosts {
  /**
   * Why no swap of this client is opened today, or null. What it says of itself is believed here: before the lock it
   * has to prove it.
   */
  stops(direction: Direction, opener: Opener): Refusal | null;
  /** The swap that the request opened. */
  opened(swap: string, client: string | null): void;
  /** Whether more may be relayed for a swap on behalf of this account. */
  turn(network: EvmNetwork, row: SwapRow, by: RelaySigner, waiting: readonly Waiting[]): Refusal | null;
  /** The names that the client of a swap goes by, and whether it paid before. */
  whose(row: SwapRow): Whose;
  /** Hears of the swaps that brought their fee. */
  start(): void;
}

export function accountName(address: EvmAddress): string {
  return `account:${toHex(address)}`;
}

/** What clients go by, and whose word it is. */
interface Paying {
  readonly context: Context;
  /** By swap, where its request came from; after a restart it counts by its account alone. */
  readonly openedBy: Map<string, string | null>;
  /** By swap, the account whose own signature a relay of it brought. */
  readonly signers: Map<string, string>;
  /** By swap, the keys whose coins paid for it on Arkade, once somebody waiting. */
  readonly payers: Map<string, readonly string[]>;
}

/**
 * A client goes by the address that its request came from and by its account on an EVM chain. That it paid before
 * counts only by what nobody else can show: the account that signed its lock, or the keys whose coins paid on Arkade.
 * The address of a request is shared by too many to prove it.
 */
export function createUnpaid(context: Context): Unpaid {
  /** By swap, where its request came from; after a restart it counts by its account alone. */
  const openedBy = new Map<string, string | null>();
  /** By swap, the account whose own signature a relay of it brought. */
  const signers = new Map<string, string>();
  /** By swap, the keys whose coins paid for it on Arkade, once somebody waiting. */
  const payers = new Map<string, readonly string[]>();
  const own: Paying = { context, openedBy, signers, payers };

  return {
    whose: (row: SwapRow) => whose(own, row),
    stops(direction, { client, account }) {
      if (client === null) return null;
      const names = [`address:${client}`, ...(account === null ? [] : [accountName(account)])];
      const paidBefore = account !== null && havePaid(own, [accountName(account)]);
      for (const place of direction.unpaidOn) {
        const network = networkAt(place, direction.evm);
        const which = network === null ? null : judge(own, network, { clients: names, paidBefore });
        if (which !== null) return refuse('flood', sentences.create[which], day);
      }
      return null;
    },
    opened(swap, client) {
      openedBy.set(swap, client);
    },
    turn(network, row, { account, proven }, waiting) {
      const name = accountName(account);
      if (proven) signers.set(row.id, name);
      const { clients, paidBefore } = whose(own, row);
      const which = judge(own, network, { clients: [...new Set([...clients, name])], paidBefore }, waiting);
      return which === null ? null : refuse('flood', sentences.relay[which], day);
    },
    async ready(swap, network) {
      const row = context.runtime.workingSet.find(swap)?.row;
      if (row !== undefined && judge(own, network, whose(own, row)) !== null) await payersOf(own, row);
    },
    full(swap, network) {
      const row = context.runtime.workingSet.find(swap)?.row;
      if (row === undefined || directionOf(own, row) === null) return null;
      const which = judge(own, network, whose(own, row));
      return which === null ? null : sentences.lock[which];
    },
    note(outlay, into, now) {
      const row = context.runtime.workingSet.find(outlay.swap)?.row;
      if (row === undefined || directionOf(own, row) === null || row.status === 'serverredeemed') return;
      into.outlays.put(outlay, whose(own, row), now);
    },
    start() {
      const { runtime } = context;
      store(own).outlays.forgetPaid();
      runtime.commits.onCommit(({ entry: { row }, from }) => {
        if (row.status === 'serverredeemed' && from.status !== 'serverredeemed')
          runtime.background('who paid for a swap', () => brought(own, row));
        if (!row.open) for (const memory of [openedBy, signers, payers]) memory.delete(row.id);
      });
    },
  };
}

function store({ context }: Paying) {
  return context.runtime.store;
}

function since({ context }: Paying): number {
  return context.runtime.clock.now().wall - day;
}

function most({ context }: Paying): Sats {
  return sats(context.config.ceilings.unpaidGasPerDaySats);
}

function directionOf({ context }: Paying, row: SwapRow): Direction | null {
  return context.directions.of(row.machine);
}

function havePaid(own: Paying, names: readonly string[]): boolean {
  return names.some((name) => store(own).outlays.hasPaid(name));
}

/** Whoever made the lock, where it is seen: the account that a create named may be anybody's. */
function accountOf(own: Paying, row: SwapRow): EvmAddress | null {
  const direction = directionOf(own, row);
  const deposit = direction?.deposit(row) ?? null;
  return deposit === null
    ? (direction?.claim(row)?.lock.claimAddress ?? null)
    : (depositorOf(deposit) ?? deposit.terms.clientAddress);
}

/** What only the client of the swap can have shown. */
function provenOf(own: Paying, row: SwapRow): readonly string[] {
  const { signers, payers } = own;
  const depositor = directionOf(own, row)?.deposit(row)?.own?.depositor ?? null;
  // Once there is a lock, it is of whoever made it, whatever was signed before.
  const account = depositor === null ? signers.get(row.id) : accountName(depositor);
  return [...(payers.get(row.id) ?? []), ...(account === undefined ? [] : [account])];
}

function namesOf(own: Paying, row: SwapRow): readonly string[] {
  const { openedBy } = own;
  const address = openedBy.get(row.id) ?? null;
  const account = accountOf(own, row);
  return [...(address === null ? [] : [`address:${address}`]), ...(account === null ? [] : [accountName(account)])];
}

function whose(own: Paying, row: SwapRow): Whose {
  const { openedBy } = own;
  const isOwners = openedBy.get(row.id) === null;
  return { clients: namesOf(own, row), paidBefore: isOwners || havePaid(own, provenOf(own, row)) };
}

function judge(
  own: Paying,
  network: Network,
  { clients, paidBefore }: Whose,
  waiting: readonly Waiting[] = [],
): 'all' | 'client' | null {
  const from = since(own);
  const { outlays } = store(own);
  const ofAll = waiting.reduce((sum, one) => withMore(sum, one.amount, one.paidBefore), outlays.since(network, from));
  const ofClient = clients.map((client) =>
    waiting
      .filter((one) => one.clients.includes(client))
      .reduce((sum, one) => withMore(sum, one.amount, one.paidBefore), outlays.sinceOf(client, network, from)),
  );
  return usedUp({ all: ofAll, ofClient }, most(own), paidBefore);
}

async function payersOf(own: Paying, row: SwapRow): Promise<readonly string[]> {
  const { context, payers } = own;
  const before = payers.get(row.id);
  if (before !== undefined) return before;
  const coin = directionOf(own, row)?.vhtlc(row)?.byClient === undefined ? null : coinOf(row);
  const { arkade } = context.runtime.ports;
  if (coin === null || arkade === null) return [];
  // An operator that does not answer is no word against anybody: the lock waits for it.
  const psbt = (await arkade.virtualTxs([coin.txid])).get(coin.txid);
  if (psbt === undefined) return [];
  const names = payersIn(psbt, coin.txid).map((script) => `arkade:${toHex(script)}`);
  payers.set(row.id, names);
  return names;
}

/**
 * A swap that brought its fee: its client is known from here on, by the account of its lock or claim and by what
 * paid.
 */
async function brought(own: Paying, row: SwapRow): Promise<void> {
  const { context, payers } = own;
  const { clock } = context.runtime;
  const account = accountOf(own, row);
  const at = clock.now().wall;
  store(own).outlays.forget(row.id);
  if (account !== null) store(own).outlays.paid(accountName(account), at);
  if (directionOf(own, row)?.unpaidOn.length === 0) return;
  for (const name of await payersOf(own, row)) store(own).outlays.paid(name, at);
  payers.delete(row.id);
}

/** Of a swap that is over its lock stands among those that are left, and the one that is being given back is meant. */
function depositorOf({ own, extras, refund }: SwapDeposit): EvmAddress | null {
  const left = extras.find(({ key }) => refund !== null && sameBytes(key, refund.key)) ?? extras[0];
  return (own ?? left)?.depositor ?? null;
}

/** The coin of a swap that its client funds on Arkade, in every state that has one. */
function coinOf({ progress }: SwapRow): Outpoint | null {
  return (progress as { readonly coin?: Outpoint }).coin ?? null;
}

const sentences = {
  create: {
    all:
      'What swaps that bring no fee may cost in a day is used up, and none is opened for new clients: try again ' +
      'tomorrow.',
    client:
      'What your swaps that brought no fee may cost in a day is used up: finish those that are open, or try again ' +
      'tomorrow.',
  },
  lock: {
    all: 'What swaps that bring no fee may cost in a day is used up.',
    client: "What the client's swaps that brought no fee may cost in a day is used up.",
  },
  relay: {
    all: 'Gas is not paid for clients now: send your own transaction, or try again tomorrow.',
    client: 'Gas is not paid for you any more today: send your own transaction, or try again tomorrow.',
  },
} as const;
