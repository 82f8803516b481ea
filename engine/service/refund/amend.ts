import { seenCoins } from './seen-coins.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import { btc, type Sats } from '../../domain/money.ts';
import { seconds, type Clocks, type Unix } from '../../domain/time.ts';
import { coinsOrNamed } from '../../runtime/networks/arkade/lists.ts';
import type { Entry } from '../../runtime/working-set.ts';
import { isStorageFailure } from '../../store/failure.ts';
import type { SwapRow } from '../../store/swaps.ts';
import type { ExtraCoin } from '../../swap/halves/extra-coins.ts';
import type { Event } from '../../swap/machine.ts';
import type { ServiceContext } from '../context.ts';
import { atRisk } from '../create/create.ts';
import type { Amendable, Amendment, Direction } from '../directions/direction.ts';
import { shareUsedUp } from '../limits/client-share.ts';
import { notNow, tooMuch } from '../limits/limits.ts';

/*
 * The one change of a swap's terms: an amount, or an invoice, that its client agreed to after the create
 * (DECISIONS.md, "A client of the Boltz interface agrees to terms twice").
 *
 * Loses money when wrong: other terms for what something of ours was given for, or whose refund is signed.
 */

/** Why the terms of a swap stay as they are. */
export type Unamended =
  /** Its refund is signed or made, or may have been since a backup; what was given since would be as unknown. */
  | 'signed'
  /** Nothing of it waits for other terms, or it had others already. */
  | 'settled'
  | 'late';

/** What is left of the funding window is for the look that judges the lock anew. */
const leastLeft = seconds(60);

/** Whether a swap had its one other agreement. */
export function isAmended({ row }: Entry): boolean {
  return (row.terms as Amendable).amended === true;
}

/** Whether a swap waits for other terms. */
export function amendable({ runtime }: Pick<ServiceContext, 'runtime'>, { row, machine }: Entry): Unamended | null {
  const { intents } = runtime.store;
  const { fundBefore } = row.terms as Amendable;
  const now = runtime.clock.now();
  const { at, fenced } = row.progress as { readonly at: string; readonly fenced?: boolean };
  // Once its client's coin is back the swap is over, and says no more who signed for that.
  if (fenced === true || at === 'refunded' || intents.has('refund', row.id)) return 'signed';
  if (isAmended({ row, machine }) || !row.open) return 'settled';
  const late = now.wall + leastLeft >= fundBefore;
  const early = late ? { ...now, wall: (fundBefore - 1) as Unix } : now;
  if (machine.step(row.terms, row.progress, { is: 'terms.amended' }, early) === 'stay') return 'settled';
  // By its state nothing was given, and a copy from before forgot what was.
  if (intents.has('payment', row.id)) return 'signed';
  return late ? 'late' : null;
}

/** Whether another amount than was asked for is quoted for. */
export function isQuotable(context: Pick<ServiceContext, 'directions' | 'runtime'>, entry: Entry): boolean {
  const direction = context.directions.of(entry.row.machine);
  return direction !== null && direction.requote !== null && amendable(context, entry) === null;
}

/** What lies at a client's lock, and what its machine hears of that. */
interface Lying {
  readonly look: Event;
  readonly amounts: readonly Sats[];
}

/**
 * On Arkade by the operator's word of now. On the Bitcoin chain what is in a block as its watch saw it last, and as if
 * it were deep already: whether it is, each look of its swap says before anything is given. What is in no block its
 * sender may send elsewhere, once we hold our part ready for it (facts/faults.md 240).
 */
export async function lookAtLock(
  { runtime }: Pick<ServiceContext, 'runtime'>,
  { source, vhtlc }: Pick<Direction, 'source' | 'vhtlc'>,
  row: SwapRow,
): Promise<Lying | Refusal> {
  if (source === 'Bitcoin') return asIfDeep(row, runtime.clock.now());
  const { arkade } = runtime.ports;
  const lock = vhtlc(row);
  if (arkade === null || lock === null)
    return refuse('unavailable', 'No Arkade operator is connected: try again later.');
  const look = seenCoins(await coinsOrNamed(arkade, lock.script, []));
  return { look, amounts: look.coins.filter(({ spent }) => !spent).map(({ amount }) => amount) };
}

function asIfDeep({ progress }: SwapRow, { wall, bitcoin: { height, mtp } }: Clocks): Lying | Refusal {
  if (height === null || mtp === null)
    return refuse('unavailable', 'The Bitcoin clock cannot be read now: try again later.');
  const { extras = [] } = progress as { readonly extras?: readonly ExtraCoin[] };
  const coins = extras
    .filter(({ spent, mined }) => !spent && mined === true)
    .map((coin) => ({ ...coin, height: 0, spend: null }));
  return { look: { is: 'htlc.seen', coins, height, mtp, asked: wall }, amounts: coins.map(({ amount }) => amount) };
}

/**
 * Whether what was seen is worth our part by the terms of an amendment, amounts and timelocks: the machine's own
 * judgement, which falls again on the next look.
 */
export function judgedBy(
  { runtime }: Pick<ServiceContext, 'runtime'>,
  { row, machine }: Entry,
  { terms }: Pick<Amendment, 'terms'>,
  seen: Event,
): Unamended | null {
  const now = runtime.clock.now();
  const amended = machine.step(terms, row.progress, { is: 'terms.amended' }, now);
  const outcome = amended === 'stay' ? 'stay' : machine.step(terms, amended.progress, seen, now);
  if (outcome === 'stay') return 'settled';
  if (outcome.progress.at === 'funded') return null;
  return (outcome.progress as { readonly why?: string }).why === 'invalid' ? 'settled' : 'late';
}

/** Whose request it is, and whom it is promised to; its share has room for it, unless it `isPaid` already. */
interface Asker {
  readonly client: string | null;
  readonly isPaid: boolean;
}

/**
 * Amends a swap that is as its caller read it, in one commit: its terms, its value, its promise of liquidity and its
 * state. Limits and the owner's ceilings are those of a new swap. Where that is undone it counts into the share again.
 * What its client can take for nothing is noted in every place first, and all is looked at once more then
 * (facts/faults.md 314); else there is no await before the commit.
 */
export async function amend(
  context: ServiceContext,
  direction: Direction,
  read: Entry,
  amendment: Amendment,
  asker: Asker,
): Promise<Unamended | Refusal | null> {
  if ((amendment.atRisk ?? null) !== null) {
    const unamended = whyNot(context, direction, read, amendment, asker) ?? (await context.loose?.noted()) ?? null;
    if (unamended !== null) return unamended;
  }
  const { terms, price, reserve } = amendment;
  const { id } = read.row;
  const unamended = whyNot(context, direction, read, amendment, asker);
  if (unamended !== null) return unamended;
  try {
    const moved = context.runtime.commits.deliver(
      id,
      { is: 'terms.amended' },
      {
        amended: { terms, valueSats: price.target },
        ifMoved: ({ reservations }) => reservations.hold(id, btc(reserve.network, reserve.amount), asker.client),
      },
    );
    return moved === 'moved' ? null : 'settled';
  } catch (cause) {
    if (!isStorageFailure(cause)) throw cause;
    return refuse('unavailable', 'The database cannot be written now, and nothing was changed: try again later.');
  }
}

/** By what is known now; what its client can take for nothing counts from here on. */
function whyNot(
  context: ServiceContext,
  direction: Direction,
  { row: { id, version } }: Entry,
  { price, reserve, atRisk: risked }: Amendment,
  { client, isPaid }: Asker,
): Unamended | Refusal | null {
  const entry = context.runtime.workingSet.find(id);
  if (entry === null || entry.row.version !== version) return 'settled';
  return (
    amendable(context, entry) ??
    notNow(context) ??
    tooMuch(context, direction, price) ??
    (isPaid ? null : shareUsedUp(context, direction, { swap: id, client, price, reserve: [reserve] })) ??
    atRisk(context, id, risked ?? null)
  );
}
