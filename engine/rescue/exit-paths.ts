import { z } from 'zod';
import { outpointKey } from '../domain/outpoint.ts';
import type { Unix } from '../domain/time.ts';
import { inputsOf } from '../legs/arkade/exit-path.ts';
import type { WalletTerms } from '../legs/arkade/vtxo.ts';
import { readTx } from '../legs/psbt.ts';
import { bytes, exactly, outpoint, sats, unix, xOnly } from '../legs/shape.ts';
import { encode } from '../store/codec.ts';
import type { ExitOutput, ExitTransaction } from '../store/exits.ts';
import type { Store } from '../store/store.ts';

/** A coin at the Arkade operator, verified while it still answered. */
export interface ExitPathCoin extends ExitOutput {
  /** When the operator may take its batch. */
  readonly expiresAt: Unix;
  /** What its script is made of, for a coin of the wallet; null for a VHTLC. */
  readonly under: WalletTerms | null;
}

/** Everything between the Bitcoin chain and coins of ours, each transaction once. */
export interface ExitPaths {
  readonly coins: readonly ExitPathCoin[];
  /** Outputs of the chain that all of it hangs on. */
  readonly roots: readonly ExitOutput[];
  /** Raw, in no order. */
  readonly transactions: readonly Uint8Array[];
}

export const noExitPaths: ExitPaths = { coins: [], roots: [], transactions: [] };

const output = z.strictObject({ outpoint, amount: sats, script: bytes });
const under = z.strictObject({ signer: xOnly, exitDelay: z.number() });

export const exitPathsShape = exactly<ExitPaths>()(
  z.strictObject({
    coins: z.array(z.strictObject({ ...output.shape, expiresAt: unix, under: under.nullable() })),
    roots: z.array(output),
    transactions: z.array(bytes),
  }),
);

/** What a node has saved, each with a key of its own: most of it stays from one bundle to the next. */
export interface EncodedExitPaths {
  readonly coins: ReadonlyMap<string, string>;
  readonly roots: ReadonlyMap<string, string>;
  readonly transactions: ReadonlyMap<string, string>;
}

export function encodedExitPaths({ exits, ownCoins }: Pick<Store, 'exits' | 'ownCoins'>): EncodedExitPaths {
  const { coins, roots, transactions } = exits.all();
  const own = new Map(ownCoins.all().map((row) => [outpointKey(row.outpoint), row]));
  return {
    coins: new Map(
      coins.map((coin) => {
        const key = outpointKey(coin.outpoint);
        const row = own.get(key);
        const exitPathCoin: ExitPathCoin = {
          ...coin,
          under: row === undefined ? null : { signer: row.signer, exitDelay: row.exitDelay },
        };
        return [key, encode(exitPathCoin)];
      }),
    ),
    roots: new Map(roots.map((root) => [outpointKey(root.outpoint), encode(root)])),
    transactions: new Map(transactions.map((tx) => [tx.txid, encode(tx.bytes)])),
  };
}

/** The same in a database for one run. Nothing of it is verified: that is for whoever sends any of it. */
export function restoreExitPaths({ exits }: Pick<Store, 'exits'>, { coins, roots, transactions }: ExitPaths): void {
  const all = { transactions: transactions.flatMap(asSaved), roots };
  for (const [i, { under: _, expiresAt, ...coin }] of coins.entries())
    exits.save(coin, i === 0 ? all : { transactions: [], roots: [] }, expiresAt);
}

function asSaved(bytes: Uint8Array): ExitTransaction[] {
  const tx = readTx(bytes);
  return tx === null ? [] : [{ txid: tx.id, parents: inputsOf(tx), bytes }];
}

/** A coin of the wallet, and what the script is made of under which it lies. */
export type OwnExitPathCoin = ExitPathCoin & { readonly under: WalletTerms };

/** Coins of the wallet: what something that is saved spends was one then, and is none any more. */
export function ownCoinsOf({ coins, transactions }: ExitPaths): readonly OwnExitPathCoin[] {
  const spent = new Set(transactions.flatMap(asSaved).flatMap(({ parents }) => parents.map(outpointKey)));
  return coins.filter((coin): coin is OwnExitPathCoin => coin.under !== null && !spent.has(outpointKey(coin.outpoint)));
}
