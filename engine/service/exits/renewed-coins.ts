import { PortFailure } from '../../domain/errors.ts';
import { outpointKey, outpointOf, type Txid } from '../../domain/outpoint.ts';
import { hasPassed, hour, type Unix } from '../../domain/time.ts';
import { buried } from '../../legs/onchain/depth.ts';
import type { BitcoinPort } from '../../legs/onchain/port.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Store } from '../../store/store.ts';
import { runningExits } from './places.ts';

/** Coins of the wallet that a renewal gave for others, until the commitment that took them is buried. */
interface RenewedBatch {
  /** Null where its operator names none. */
  readonly batch: Txid | null;
  /** When its end was booked. */
  readonly at: Unix;
  /** Their outpoints. */
  readonly coins: readonly string[];
  /** Whether a block has it. */
  readonly isMined?: boolean;
}

const renewedKey = 'renewal-unburied';
/** A commitment has so long to come into a block, however near the expiry of its coins. */
const patience = hour;

function renewedBatches({ settings }: Pick<Store, 'settings'>): readonly RenewedBatch[] {
  return settings.get<readonly RenewedBatch[]>(renewedKey) ?? [];
}

function put({ settings }: Pick<Store, 'settings'>, batches: readonly RenewedBatch[]): void {
  if (batches.length === 0) settings.remove(renewedKey);
  else settings.put(renewedKey, batches);
}

/**
 * In the commit that books their batch: those whose way is saved stay on record. That a batch is over is the operator's
 * word, and a forfeit binds nobody before its commitment is on the chain (facts/faults.md 353).
 */
export function noteRenewed(store: Store, { batch, at, coins }: Omit<RenewedBatch, 'isMined'>): void {
  const withWay = coins.filter((key) => store.exits.has(outpointOf(key)));
  for (const key of coins) if (!withWay.includes(key)) store.ownCoins.forget(outpointOf(key));
  if (withWay.length === 0) return;
  const batches = renewedBatches(store);
  const same = batches.find((one) => one.batch === batch);
  const all = [...new Set([...(same?.coins ?? []), ...withWay])];
  put(store, [...batches.filter((one) => one !== same), { batch, at: same?.at ?? at, coins: all }]);
}

/** What their ways still stand for: coins of batches that no block has, whose own ways hang on no block yet. */
export function renewedValue(store: Pick<Store, 'settings' | 'ownCoins'>): bigint {
  const batches = renewedBatches(store).filter(({ isMined }) => isMined !== true);
  if (batches.length === 0) return 0n;
  const keys = new Set(batches.flatMap(({ coins }) => coins));
  return store.ownCoins
    .all()
    .filter(({ outpoint, unrolled }) => !unrolled && keys.has(outpointKey(outpoint)))
    .reduce((sum, { amount }) => sum + amount, 0n);
}

/**
 * Whether coins that were renewed may have to leave by their own ways still. They do once time runs out for them and no
 * block has the commitment; with it there the forfeits are the operator's, and an exit would cost fees for nothing.
 */
export function createRenewedCoins(runtime: Pick<Runtime, 'store' | 'clock' | 'workingSet'>) {
  const { store, clock, workingSet } = runtime;
  /** Of each batch the tip at which the chain was read for it last, and whether a block had it then. */
  const sights = new Map<Txid | null, { readonly tip: string; readonly isMined: boolean }>();

  /**
   * Those that are on record no more, or past their expiry: the operator may sweep them then, and a way that no exit is
   * on is of no use.
   */
  function over(keys: readonly string[]): readonly string[] {
    const { mtp } = clock.now().bitcoin;
    const rows = new Map(store.ownCoins.all().map((row) => [outpointKey(row.outpoint), row]));
    const leaving = new Set(runningExits({ workingSet }).map(([, { coin }]) => outpointKey(coin)));
    return keys.filter((key) => {
      const row = rows.get(key);
      if (row === undefined) return true;
      const expiresAt = store.exits.expiresAt(row.outpoint);
      return !row.unrolled && !leaving.has(key) && mtp !== null && expiresAt !== null && expiresAt <= mtp;
    });
  }

  function note(batch: Txid | null, isMined: boolean): void {
    const batches = renewedBatches(store);
    if (batches.some((one) => one.batch === batch && (one.isMined ?? false) !== isMined))
      put(
        store,
        batches.map((one) => (one.batch === batch ? { ...one, isMined } : one)),
      );
  }

  function drop(batch: Txid | null, keys: readonly string[]): void {
    if (keys.length === 0) return;
    store.atomically(() => {
      for (const key of keys) store.ownCoins.forget(outpointOf(key));
      const left = renewedBatches(store).map((one) =>
        one.batch === batch ? { ...one, coins: one.coins.filter((key) => !keys.includes(key)) } : one,
      );
      put(
        store,
        left.filter(({ coins }) => coins.length > 0),
      );
    });
  }

  return {
    /** Asks the chain for each commitment once at each tip. What it does not answer another look asks. */
    async look(bitcoin: Pick<BitcoinPort, 'transaction'>): Promise<void> {
      const { height, mtp } = clock.now().bitcoin;
      const tip = `${height} ${mtp}`;
      const batches = renewedBatches(store);
      for (const txid of sights.keys()) if (!batches.some(({ batch }) => batch === txid)) sights.delete(txid);
      for (const { batch, coins } of batches) {
        if (sights.get(batch)?.tip === tip) continue;
        try {
          const mined = batch === null ? null : ((await bitcoin.transaction(batch))?.height ?? null);
          note(batch, mined !== null);
          sights.set(batch, { tip, isMined: mined !== null });
          if (buried(mined, height)) drop(batch, coins);
          else if (mined === null) drop(batch, over(coins));
        } catch (cause) {
          if (!(cause instanceof PortFailure)) throw cause;
          sights.delete(batch);
        }
      }
    },
    /** Those that were renewed, and whether each may leave: for long no block has had what took it. */
    mayLeave(): ReadonlyMap<string, boolean> {
      const { wall } = clock.now();
      const coins = new Map<string, boolean>();
      for (const { batch, at, coins: keys } of renewedBatches(store)) {
        const isUnmined = sights.get(batch)?.isMined === false && hasPassed(patience, at, wall);
        for (const key of keys) coins.set(key, isUnmined && coins.get(key) !== false);
      }
      return coins;
    },
    /** Whether there are none: nothing is looked at then. */
    isEmpty: (): boolean => renewedBatches(store).length === 0,
  };
}

export type RenewedCoins = ReturnType<typeof createRenewedCoins>;
