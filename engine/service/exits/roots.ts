import { PortFailure } from '../../domain/errors.ts';
import { noSats, plus, type Sats } from '../../domain/money.ts';
import { outpointKey, outpointOf, type Outpoint } from '../../domain/outpoint.ts';
import { buried } from '../../legs/onchain/depth.ts';
import type { BitcoinPort } from '../../legs/onchain/port.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Store } from '../../store/store.ts';

const unburiedKey = 'exit-roots-unburied';
const looseKey = 'exits-loose-sats';

/** What coins hold whose way is saved, over a commitment that a block had then and none has now. */
export function looseValue({ settings }: Pick<Store, 'settings'>): Sats {
  return settings.get<Sats>(looseKey) ?? noSats;
}

function unburied({ settings }: Pick<Store, 'settings'>): readonly string[] {
  return settings.get<readonly string[]>(unburiedKey) ?? [];
}

/** In the commit that saves a way over these: they are looked at until they are buried. */
export function noteRoots(store: Pick<Store, 'settings'>, roots: readonly Outpoint[]): void {
  const before = unburied(store);
  const keys = [...new Set([...before, ...roots.map(outpointKey)])];
  if (keys.length > before.length) store.settings.put(unburiedKey, keys);
}

/**
 * What the saved ways hang on, until it is buried: a reorganisation may take a commitment, and its operator make
 * another one in its place. The ways stay, for it may come back; they count as none meanwhile (facts/faults.md 353).
 */
export function createExitRoots({ store, clock }: Pick<Runtime, 'store' | 'clock'>) {
  let lastTip: string | null = null;

  function valueOver(roots: ReadonlySet<string>): Sats {
    if (roots.size === 0) return noSats;
    return store.exits
      .coins()
      .filter((coin) => store.exits.path(coin.outpoint)?.roots.some(({ outpoint }) => roots.has(outpointKey(outpoint))))
      .reduce((sum, { amount }) => plus(sum, amount), noSats);
  }

  return {
    /** Asks the chain for each once at each tip; what it does not answer another look asks. */
    async look(bitcoin: Pick<BitcoinPort, 'transaction'>): Promise<void> {
      const { height, mtp } = clock.now().bitcoin;
      const tip = `${height} ${mtp}`;
      if (height === null || tip === lastTip) return;
      const over = new Set<string>();
      const loose = new Set<string>();
      for (const key of unburied(store)) {
        const outpoint = outpointOf(key);
        if (store.exits.root(outpoint) === null) over.add(key);
        else
          try {
            const mined = (await bitcoin.transaction(outpoint.txid))?.height ?? null;
            if (buried(mined, height)) over.add(key);
            if (mined === null) loose.add(key);
          } catch (cause) {
            if (!(cause instanceof PortFailure)) throw cause;
            return;
          }
      }
      const value = valueOver(loose);
      store.atomically(() => {
        if (over.size > 0)
          store.settings.put(
            unburiedKey,
            unburied(store).filter((key) => !over.has(key)),
          );
        if (value !== looseValue(store)) store.settings.put(looseKey, value);
      });
      lastTip = tip;
    },
  };
}
