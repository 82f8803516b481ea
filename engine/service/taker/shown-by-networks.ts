import { beginningEvery, lastBeginning } from '../../domain/key-index.ts';
import { PortFailure } from '../../domain/errors.ts';
import { toHex } from '../../domain/hex.ts';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import { candidatesIn, readSeenTx, type SeenTx } from '../../legs/seen-tx.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { slices } from '../../runtime/slices.ts';
import type { TakerKeys } from './keys.ts';

/** Coins of a wallet whose transactions are read: the largest, for anybody can send dust. */
const mostCoins = { arkade: 300, bitcoin: 20 };
/** Keys that are tried from each place on where words may have begun. */
const keysTried = 50;

/**
 * The highest key of ours whose secret a claim shows that pays one of our wallets; null for none. Nobody else knows
 * such a secret before, so it proves that the key was used, whatever providers hide (facts/faults.md 100). `from`: the
 * first key that is not known to be used.
 */
export async function shownByNetworks(
  { runtime, keys }: { readonly runtime: Runtime; readonly keys: Pick<TakerKeys, 'takerSecret'> },
  from: number,
): Promise<number | null> {
  const looks = await Promise.all([ifAnswered(onArkade(runtime)), ifAnswered(onBitcoin(runtime))]);
  const secrets = new Set(looks.flat());
  if (secrets.size === 0) return null;
  const pause = slices();
  let highest: number | null = null;
  for (let first = from; first <= lastBeginning(highest ?? from); first = nextBeginning(first))
    for (let index = first; index < first + keysTried; index++) {
      await pause();
      if (secrets.has(toHex(keys.takerSecret(index)))) highest = index;
    }
  return highest;
}

function nextBeginning(first: number): number {
  return (Math.floor(first / beginningEvery) + 1) * beginningEvery;
}

async function ifAnswered(look: Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await look;
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    return [];
  }
}

/** A claim spends by a checkpoint, which has the secret; the operator's list has spent coins too. */
async function onArkade({ ports: { arkade } }: Runtime): Promise<readonly string[]> {
  if (arkade === null) return [];
  const coins = await arkade.coins(await arkade.walletScripts());
  const largest = coins.toSorted((one, other) => Number(other.amount - one.amount)).slice(0, mostCoins.arkade);
  const payments = await read(
    arkade,
    largest.map(({ outpoint }) => outpoint.txid),
  );
  const checkpoints = await read(
    arkade,
    payments.flatMap(({ tx }) => tx.inputs.map(({ txid }) => txid)),
  );
  return [...payments, ...checkpoints].flatMap(secretsIn);
}

async function read(arkade: ArkadePort, txids: readonly string[]): Promise<readonly SeenTx[]> {
  const transactions = await arkade.virtualTxs([...new Set(txids)]);
  return [...transactions.values()].flatMap((bytes) => readSeenTx(bytes) ?? []);
}

async function onBitcoin({ ports: { bitcoin, bitcoinWallet }, store }: Runtime): Promise<readonly string[]> {
  if (bitcoin === null || bitcoinWallet === undefined) return [];
  await bitcoinWallet.balance([]);
  const largest = store.chainCoins.standing().toSorted((one, other) => Number(other.amount - one.amount));
  const secrets: string[] = [];
  for (const { outpoint } of largest.slice(0, mostCoins.bitcoin)) {
    const entry = await bitcoin.transaction(outpoint.txid);
    const seen = entry === null ? null : readSeenTx(entry.bytes);
    if (seen !== null) secrets.push(...secretsIn(seen));
  }
  return secrets;
}

function secretsIn({ inputs }: SeenTx): readonly string[] {
  return inputs.flatMap((input) => [...candidatesIn(input)]).map(toHex);
}
