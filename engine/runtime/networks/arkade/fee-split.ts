import { btcOn, less, noSats, type Sats } from '../../../domain/money.ts';
import { outpointKey, type Outpoint, type Txid } from '../../../domain/outpoint.ts';
import type { Unix } from '../../../domain/time.ts';
import { anchorOf } from '../../../legs/arkade/exit-child.ts';
import type { ExitPath } from '../../../legs/arkade/exit-path.ts';
import { exitCosts } from '../../../legs/arkade/exit-rule.ts';
import { buried } from '../../../legs/onchain/depth.ts';
import { readRawTx } from '../../../legs/raw-tx.ts';
import type { Store } from '../../../store/store.ts';
import type { TransactionRow } from '../../../store/transactions.ts';
import { NotYet } from '../../not-yet.ts';
import { bitcoinOf, bitcoinWalletOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import type { ArkadeContext } from './context.ts';
import { makersOf, sendMakers } from '../onchain/makers.ts';
import { noteFee, rateText } from '../onchain/note.ts';
import { tipNow } from '../onchain/transactions.ts';
import { latestOf } from '../latest.ts';
import { carriesFunding, unlessTaken } from '../reserved.ts';
import { nextOnExitPath, type NextOnExitPath } from './exit-path.ts';

/** A transaction without a fee that could go now, and that nothing pays for. */
interface Ready {
  readonly id: number;
  readonly deadline: number;
  /** Of its way from here on. */
  readonly cost: Sats;
}

/**
 * Seconds that a coin is free for which whoever is not first waits for its turn: those before it have tried by then, or
 * cannot go.
 */
const inTurnFor = 60;
/** While a split waits for its block, one attempt in so many looks whether it should pay more. */
const lookAgain = 5;
const waitsForSplit = 'coins that pay for several transactions at once are made first, and wait for their block';

/** One that makes coins at a low fee because nobody waited for it would keep what waits now. */
const mayReplace: ReadonlySet<string> = new Set(['split', 'consolidate']);

interface OnPath {
  readonly path: ExitPath;
  readonly next: NextOnExitPath | null;
}

/** What is next on each exit path, as of a height: twenty that wait would ask for twenty paths at each try. */
const looks = new WeakMap<ArkadeContext['store'], Look>();
/** Since when there is a coin, without a break. */
const freeSince = new WeakMap<ArkadeContext['store'], Unix>();

interface Look {
  readonly height: number | null;
  readonly paths: Map<string, OnPath | null>;
}

/**
 * Whether the first child of a transaction may be made now. Where more of them are ready than there are coins, a coin
 * is split first, for each wants a confirmed one of its own; until then, or where no split is any use, those with the
 * earliest deadlines go first. Throws where it has to wait; false where there is no coin at all.
 */
export async function hasCoin(
  effect: EffectOf<'arkade.unroll'>,
  { rate, spent }: { readonly rate: number; readonly spent: Sats },
  context: ArkadeContext,
): Promise<boolean> {
  const { store, ports, row } = context;
  if (store.effects.waitingFor('arkade.unroll').length < 2 && store.transactions.onTheWay('split').length === 0)
    return true;
  const wallet = bitcoinWalletOf(ports);
  const waits = await tend(context);
  const reserved = store.transactions.reservedCoins();
  const { coins } = await wallet.balance(reserved);
  const { wall } = context.clock.now();
  const since = coins.length === 0 ? wall : (freeSince.get(store) ?? wall);
  if (coins.length === 0) freeSince.delete(store);
  else freeSince.set(store, since);
  if (coins.length === 0 && waits === null) return false;
  if (coins.length === 0 && row.attempts % lookAgain !== 0) throw new NotYet(null, waitsForSplit);
  const lines = await inLine(rate, context);
  const own = lines.find(({ id }) => id === row.id);
  if (own === undefined) return true;
  const cost = lines.reduce<Sats>((most, one) => (one.cost > most ? one.cost : most), noSats);
  const made = await wallet.prepareFeeSplit({
    reserved,
    ready: lines.length,
    cost,
    rate,
    mostFee: less(less(effect.mostFee, spent), own.cost),
  });
  const replaced = made?.replaces ?? null;
  const isWanted = replaced === null ? waits === null : mayBeReplaced(replaced, store);
  if (made !== null && isWanted) {
    const note = noteFee(
      context,
      `A coin of the Bitcoin wallet is split into ${made.pieces}, to pay for ${lines.length} transactions at ` +
        `once, for ${made.fee} sats at ${rateText(rate)}`,
    );
    const makers = await makersOf(
      made.coins.map((outpoint) => ({ outpoint })),
      context,
    );
    const save = (): void => {
      store.transactions.insert(
        {
          ...btcOn('bitcoin'),
          txid: made.txid,
          subject: row.subject,
          leg: 'arkade',
          purpose: 'split',
          bytes: made.bytes,
          // A dearer one spends the same coin, which stays promised to the first.
          inputs: replaced === null ? made.coins : [],
          replaces: replaced,
          makers,
        },
        wall,
      );
      note(store, wall);
    };
    unlessTaken(() => store.atomically(save), 'the coin to split was promised to another payment');
    await tend(context);
    throw new NotYet(null, waitsForSplit);
  }
  const earlier = lines.filter((one) => isBefore(one, own)).length;
  const useful = coins.filter((amount) => amount >= cost).length;
  if (useful > 0 && earlier >= useful && Math.abs(wall - since) < inTurnFor)
    throw new NotYet(null, 'coins that run out earlier are brought to the chain first');
  return true;
}

function mayBeReplaced(txid: Txid, store: Pick<Store, 'transactions'>): boolean {
  return mayReplace.has(store.transactions.byId(txid)?.purpose ?? '') && !carriesFunding(txid, store);
}

function isBefore(a: Ready, b: Ready): boolean {
  return a.deadline === b.deadline ? a.id < b.id : a.deadline < b.deadline;
}

/**
 * All that could go now if something paid for it, each transaction once, by the earliest deadline of what hangs on it.
 */
async function inLine(rate: number, context: ArkadeContext): Promise<Ready[]> {
  const { store } = context;
  const height = (await tipNow(context))?.height ?? null;
  const last = looks.get(store);
  const look: Look = last?.height === height && height !== null ? last : { height, paths: new Map() };
  looks.set(store, look);
  const paid = new Set(store.transactions.onTheWay('unroll').flatMap((row) => firstInput(row, store)));
  const lines = new Map<string, Ready>();
  for (const { id, effect } of store.effects.waitingFor('arkade.unroll')) {
    const key = outpointKey(effect.coin);
    const onPath = look.paths.get(key) ?? (await onPathOf(effect.coin, context));
    look.paths.set(key, onPath);
    const anchor = onPath?.next ? anchorOf(onPath.next.tx) : null;
    if (!onPath?.next || anchor === null || paid.has(outpointKey(anchor))) continue;
    const cost = exitCosts(onPath.path, rate, onPath.next.index);
    const one: Ready = { id, deadline: effect.deadline ?? Infinity, cost };
    const before = lines.get(onPath.next.tx.id);
    if (cost <= effect.mostFee && (before === undefined || isBefore(one, before))) lines.set(onPath.next.tx.id, one);
  }
  return [...lines.values()];
}

async function onPathOf(coin: Outpoint, { store, ports }: ArkadeContext): Promise<OnPath | null> {
  const path = store.exits.path(coin);
  return path === null ? null : { path, next: await nextOnExitPath(path, bitcoinOf(ports)) };
}

function firstInput({ txid }: TransactionRow, store: Pick<Store, 'transactions'>): string[] {
  const bytes = store.transactions.bytes(txid);
  const tx = bytes === null ? null : readRawTx(bytes);
  return tx === null ? [] : tx.inputs.slice(0, 1).map(outpointKey);
}

/**
 * Keeps the splits that were saved on their way, whoever saved them, until they are buried: a funding may spend a piece
 * of one that a reorganisation takes back (facts/faults.md 220). One that waits for a block, or null.
 */
export async function tend(context: ArkadeContext): Promise<TransactionRow | null> {
  const rows = context.store.transactions.onTheWay('split');
  if (rows.length === 0) return null;
  const height = (await tipNow(context))?.height ?? null;
  let waits: TransactionRow | null = null;
  for (const family of families(rows)) waits = (await tendOne(family, height, context)) ?? waits;
  return waits;
}

/** Those that spend the same coin, the first one before whatever replaced it. */
function families(rows: readonly TransactionRow[]): TransactionRow[][] {
  const all: TransactionRow[][] = [];
  for (const row of rows) {
    const own = all.find((family) =>
      family.some(({ txid, replaces }) => row.replaces === txid || row.txid === replaces),
    );
    if (own === undefined) all.push([row]);
    else own.push(row);
  }
  return all;
}

async function tendOne(
  family: readonly TransactionRow[],
  height: number | null,
  context: ArkadeContext,
): Promise<TransactionRow | null> {
  const { store, ports, clock } = context;
  const bitcoin = bitcoinOf(ports);
  for (const { txid } of family) {
    const mined = (await bitcoin.transaction(txid))?.height ?? null;
    if (mined === null) continue;
    const time = clock.now().wall;
    if (buried(mined, height))
      store.atomically(() => {
        for (const row of family) store.transactions.close(row.txid, row.txid === txid ? 'final' : 'dead', time);
      });
    return null;
  }
  const last = latestOf(family);
  const bytes = last === undefined ? null : store.transactions.bytes(last.txid);
  if (last === undefined || bytes === null) return null;
  if ((await bitcoin.transaction(last.txid)) !== null) return last;
  await sendMakers(readRawTx(bytes)?.inputs ?? [], context);
  const sent = await bitcoin.broadcast(bytes);
  if (sent.is === 'accepted') store.transactions.sent(last.txid, clock.now().wall);
  if (sent.is === 'accepted' || (sent.is === 'later' && sent.cheap !== true)) return last;
  if (carriesFunding(last.txid, store)) return last;
  // It only ever pays ourselves: one that cannot go as it is makes room for another over the same coin.
  store.transactions.close(last.txid, 'dead', clock.now().wall);
  return tendOne(
    family.filter(({ txid }) => txid !== last.txid),
    height,
    context,
  );
}
