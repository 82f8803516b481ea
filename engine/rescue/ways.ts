import { z } from 'zod';
import { outpointKey, type Outpoint } from '../domain/outpoint.ts';
import type { Unix } from '../domain/time.ts';
import { inputsOf, type ExitPath } from '../legs/arkade/exit-path.ts';
import type { WalletTerms } from '../legs/arkade/vtxo.ts';
import { readTx } from '../legs/psbt.ts';
import { bytes, exactly, outpoint, sats, unix, xOnly } from '../legs/shape.ts';
import type { ExitOutput } from '../store/exits.ts';
import type { Store } from '../store/store.ts';

/** A coin at the Arkade operator, verified while it still answered. */
export interface WayCoin extends ExitOutput {
  /** When the operator may take its batch. */
  readonly expiresAt: Unix;
  /** What its script is made of, for a coin of the wallet; null for a VHTLC. */
  readonly under: WalletTerms | null;
}

/** Everything between the Bitcoin chain and coins of ours, each transaction once. */
export interface Ways {
  readonly coins: readonly WayCoin[];
  /** Outputs of the chain that all of it hangs on. */
  readonly roots: readonly ExitOutput[];
  /** Raw, in no order. */
  readonly transactions: readonly Uint8Array[];
}

export const noWays: Ways = { coins: [], roots: [], transactions: [] };

const output = z.strictObject({ outpoint, amount: sats, script: bytes });
const under = z.strictObject({ signer: xOnly, exitDelay: z.number() });

export const waysShape = exactly<Ways>()(
  z.strictObject({
    coins: z.array(z.strictObject({ ...output.shape, expiresAt: unix, under: under.nullable() })),
    roots: z.array(output),
    transactions: z.array(bytes),
  }),
);

/** What a node has saved. */
export function waysOf({ exits, ownCoins }: Pick<Store, 'exits' | 'ownCoins'>): Ways {
  const { coins, ...rest } = exits.all();
  const own = new Map(ownCoins.all().map((row) => [outpointKey(row.outpoint), row]));
  return {
    ...rest,
    coins: coins.map((coin) => {
      const row = own.get(outpointKey(coin.outpoint));
      return { ...coin, under: row === undefined ? null : { signer: row.signer, exitDelay: row.exitDelay } };
    }),
  };
}

/** Looks ways up. */
export interface WayBook {
  readonly coins: readonly WayCoin[];
  /** In the order in which it goes to the chain; null where something of it is missing. Nothing of it is verified. */
  path(coin: WayCoin): ExitPath | null;
  /** Whether something that is saved spends it: what was a coin then is none any more. */
  isSpent(coin: Outpoint): boolean;
}

export function wayBook(ways: Ways): WayBook {
  const byId = new Map(
    ways.transactions.flatMap((raw) => {
      const tx = readTx(raw);
      return tx === null ? [] : [[tx.id, { raw, tx, inputs: inputsOf(tx) }] as const];
    }),
  );
  const roots = new Map(ways.roots.map((root) => [outpointKey(root.outpoint), root]));
  const spent = new Set([...byId.values()].flatMap(({ inputs }) => inputs.map(outpointKey)));
  return {
    coins: ways.coins,
    isSpent: (coin) => spent.has(outpointKey(coin)),
    path({ outpoint: coin, amount, script }) {
      const order = new Map<string, Uint8Array>();
      const ends = new Map<string, ExitOutput>();
      /** False where something of it is missing. */
      function visit(txid: string): boolean {
        if (order.has(txid)) return true;
        const saved = byId.get(txid);
        if (saved === undefined) return false;
        for (const input of saved.inputs) {
          if (byId.has(input.txid)) {
            if (!visit(input.txid)) return false;
            continue;
          }
          const root = roots.get(outpointKey(input));
          if (root === undefined) return false;
          ends.set(outpointKey(input), root);
        }
        order.set(txid, saved.raw);
        return true;
      }
      if (!visit(coin.txid)) return null;
      return { coin, amount, script, roots: [...ends.values()], transactions: [...order.values()] };
    },
  };
}
