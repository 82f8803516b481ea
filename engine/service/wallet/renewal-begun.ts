import { randomUUID } from 'node:crypto';
import { btc, btcOn, msatPerSat, noSats, plus, sats, type Sats } from '../../domain/money.ts';
import { outpointKey, outpointOf, type Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import type { Vtxo } from '../../legs/arkade/vtxo.ts';
import type { RenewalChoice } from '../../quote/renewal.ts';
import type { Store } from '../../store/store.ts';
import { provenSpends } from '../exits/proven-spends.ts';
import { noteRenewed } from '../exits/renewed-coins.ts';

/** Its lines of the ledger. */
export const renewalFee = 'renewal-fee-paid';

/**
 * A batch that was asked for, saved before it was: what became of it shows in its coins, also after a crash or an
 * answer that was lost.
 */
export interface Begun {
  readonly id: string;
  readonly fee: Sats;
  readonly coins: readonly string[];
}

const begunKey = 'renewal-begun';
/** Looks at a batch that shows nothing of ours, until it counts as none of ours: an index may lag behind it. */
const mostLooks = 3;

type Reads = Pick<ArkadePort, 'coins' | 'coinsAt' | 'virtualTxs' | 'walletScripts'>;

/** What the batches go by, and what they remember. */
interface Batches {
  readonly store: Store;
  readonly now: () => Unix;
  /** Looks at each that paid nothing so far, by its id. */
  readonly unpaid: Map<string, number>;
}

/** All whose end was not seen yet. An older build kept one, by itself. */
export function begunBatches({ store }: { readonly store: Pick<Store, 'settings'> }): readonly Begun[] {
  const stored = store.settings.get<Begun | readonly Begun[]>(begunKey) ?? [];
  return 'id' in stored ? [stored] : stored;
}

/**
 * Batches of wallet coins from before they are asked for until they are in the books. That a batch took a coin of ours
 * is the operator's word: it counts for the coins that were asked for alone, and once what they come to is there again
 * (facts/faults.md 151).
 */
export function createBegun({ store, now }: Pick<Batches, 'store' | 'now'>) {
  const own: Batches = { store, now, unpaid: new Map() };
  return {
    begin: (choice: Pick<RenewalChoice, 'coins' | 'fee'>) => begin(own, choice),
    /** Its end was told; where it does not show yet, a later look books it. */
    async ended(arkade: Reads, begun: Begun, { commitmentTxid }: { readonly commitmentTxid: Txid }): Promise<void> {
      const fee = await feeOf(own, arkade, begun, { batch: commitmentTxid, taken: begun.coins });
      if (fee !== null) book(own, begun, { fee, batch: commitmentTxid, taken: begun.coins });
    },
    /** Batches whose end was not seen: their coins say which of them were, under whatever script they lie. */
    look: (arkade: Reads) => look(own, arkade),
  };
}

function keep({ store }: Batches, batches: readonly Begun[]): void {
  if (batches.length === 0) store.settings.remove(begunKey);
  else store.settings.put(begunKey, batches);
}

/** An earlier one of the very same coins may have been it, at its own fee: of the two one at most ever is. */
function begin(own: Batches, { coins, fee }: Pick<RenewalChoice, 'coins' | 'fee'>): Begun {
  const keys = coins.map(({ outpoint }) => outpointKey(outpoint)).sort();
  const batches = begunBatches(own);
  const same = batches.find((one) => one.coins.toSorted().join() === keys.join());
  const begun: Begun = {
    id: same?.id ?? randomUUID(),
    fee: same !== undefined && same.fee > fee ? same.fee : fee,
    coins: keys,
  };
  keep(own, [...batches.filter((one) => one !== same), begun]);
  return begun;
}

/**
 * What the batch cost, under the name of the renewal, in the commit that forgets that it was begun, what it took, and
 * whatever else was begun with a coin of it.
 */
function book(
  own: Batches,
  { id, coins }: Begun,
  { fee, batch, taken }: { readonly fee: Sats; readonly batch: Txid; readonly taken: readonly string[] },
): void {
  const { store, now } = own;
  store.atomically(() => {
    store.ownBatches.note(batch, `renewal ${id}`, taken.map(outpointOf));
    noteRenewed(store, { batch, at: now(), coins: taken });
    if (fee > noSats) store.ledger.write(`renewal ${id}`, now(), renewalFee, btc('arkade', -fee));
    keep(
      own,
      begunBatches(own).filter((one) => !one.coins.some((coin) => coins.includes(coin))),
    );
  });
}

async function look(own: Batches, arkade: Reads): Promise<void> {
  const batches = begunBatches(own);
  if (batches.length === 0) return;
  const points = [...new Set(batches.flatMap(({ coins }) => coins))].map(outpointOf);
  const coinAt = new Map((await arkade.coinsAt(points)).map((coin) => [outpointKey(coin.outpoint), coin]));
  const coinsOf = (one: Begun): Vtxo[] => one.coins.map((key) => coinAt.get(key)).filter((coin) => coin !== undefined);
  // Of several with the same coins the one that explains the most, and of equals the dearest.
  const ended = batches
    .filter((one) => batchOf(coinsOf(one)) !== null)
    .sort((a, b) => b.coins.length - a.coins.length || (a.fee > b.fee ? -1 : 1));
  const waits = new Set<string>();
  for (const one of ended) {
    const batch = batchOf(coinsOf(one));
    if (batch === null || !begunBatches(own).some(({ id }) => id === one.id)) continue;
    const taken = coinsOf(one).map(({ outpoint }) => outpointKey(outpoint));
    const fee = await feeOf(own, arkade, one, { batch, taken });
    const looks = (own.unpaid.get(one.id) ?? 0) + 1;
    if (fee !== null) book(own, one, { fee, batch, taken });
    else if (looks < mostLooks) waits.add(one.id);
    if (waits.has(one.id)) own.unpaid.set(one.id, looks);
    else own.unpaid.delete(one.id);
  }
  // Taken by something else: the operator cannot take them for that batch any more.
  const impossible = (one: Begun): boolean =>
    !waits.has(one.id) && coinsOf(one).length > 0 && coinsOf(one).every(({ spent }) => spent);
  const over = begunBatches(own).filter(impossible);
  if (over.length === 0) return;
  const proven = await spentByOurs(own, arkade, over.flatMap(coinsOf));
  own.store.atomically(() => {
    // Those too that the operator leaves out: the record of what was begun goes with them.
    const keys = over.flatMap(({ coins }) => coins);
    noteRenewed(own.store, { batch: null, at: own.now(), coins: keys.filter((key) => !proven.has(key)) });
    keep(
      own,
      begunBatches(own).filter((one) => !over.some(({ id }) => id === one.id)),
    );
  });
}

/**
 * Of coins that the operator calls spent, by outpoint, those that a transaction of ours takes, by its bytes. The way of
 * every other stays, whatever is named for it: the batch that it was handed to may be withheld, and another be named,
 * or a transaction of ours that took another coin (facts/faults.md 353, 371).
 */
async function spentByOurs(
  { store }: Batches,
  arkade: Pick<Reads, 'virtualTxs'>,
  coins: readonly Vtxo[],
): Promise<ReadonlySet<string>> {
  const isNamed = ({ spentIn }: Vtxo): boolean => spentIn !== null && store.transactions.byId(spentIn) !== null;
  return provenSpends(coins.filter(isNamed), arkade);
}

/** The one commitment that took them all, as far as the operator knows them. */
function batchOf(coins: readonly Vtxo[]): Txid | null {
  const [first] = coins;
  return first !== undefined && coins.every(({ settledBy }) => settledBy === first.settledBy) ? first.settledBy : null;
}

/**
 * What a batch kept of the coins that it took, by what it made of ours; null where that is less than was agreed to: the
 * operator may say of any batch that it took them.
 */
async function feeOf(
  own: Batches,
  arkade: Reads,
  begun: Begun,
  { batch, taken }: { readonly batch: Txid; readonly taken: readonly string[] },
): Promise<Sats | null> {
  const { store } = own;
  const booked = store.bookCoins.all(btcOn('arkade'));
  const onRecord = new Map(store.ownCoins.all().map(({ outpoint, amount }) => [outpointKey(outpoint), amount]));
  const listed = new Map(
    (await arkade.coinsAt(taken.map(outpointOf))).map(({ outpoint, amount }) => [outpointKey(outpoint), amount]),
  );
  const amountOf = (key: string): bigint => {
    const inBooks = booked.get(key);
    return inBooks !== undefined ? inBooks / msatPerSat : (onRecord.get(key) ?? listed.get(key) ?? noSats);
  };
  const sum = taken.reduce((all, key) => all + amountOf(key), 0n);
  const isOurs = ({ spent, spentIn }: Vtxo): boolean =>
    !spent || (spentIn !== null && store.transactions.byId(spentIn) !== null);
  const made = (await arkade.coins(await arkade.walletScripts()))
    .filter((coin) => coin.batch === batch && coin.preconfirmed !== true && isOurs(coin))
    .reduce((all, { amount }) => plus(all, amount), noSats);
  const fee = sum - made;
  if (fee > begun.fee) return null;
  return fee < 0n ? noSats : sats(fee);
}
