import { sameBytes } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import type { Asset } from '../../../domain/money.ts';
import type { EvmPort, EvmReceipt } from '../../../legs/evm/port.ts';
import type { Mined, Moved, NonceRow } from '../../../store/nonces.ts';
import type { Store } from '../../../store/store.ts';

export const coinAsset: Asset['asset'] = `0x${'0'.repeat(40)}`;
/** Where the books keep all that an account holds of an asset. */
export const accountPlace = 'account';

/**
 * What a mined transaction of ours brought to our account less what it took, gas aside: of tokens by their own logs
 * (EIP-20), of the coin by what was sent along and what a refund of it brought, which one that fails does neither.
 */
export function movedBy(
  { takes, returned }: Pick<NonceRow, 'takes'> & { readonly returned: bigint },
  { ok, transfers }: EvmReceipt,
  account: ReturnType<EvmPort['account']>,
): Moved {
  const moved: Partial<Record<Asset['asset'], bigint>> = {};
  const add = (asset: Asset['asset'], amount: bigint): void => {
    if (amount !== 0n) moved[asset] = (moved[asset] ?? 0n) + amount;
  };
  for (const { token, from, to, amount } of transfers) {
    if (sameBytes(from, account)) add(`0x${toHex(token)}`, -amount);
    if (sameBytes(to, account)) add(`0x${toHex(token)}`, amount);
  }
  if (ok && takes !== null && `0x${takes.token}` === coinAsset) add(coinAsset, -takes.amount);
  if (ok) add(coinAsset, returned);
  return moved;
}

/** What a mined transaction changed in the balances of the account, its gas included. */
export function takenWithGas({ cost, moved }: Pick<Mined, 'cost' | 'moved'>): [Asset['asset'], bigint][] {
  const all: Partial<Record<Asset['asset'], bigint>> = { ...moved };
  all[coinAsset] = (all[coinAsset] ?? 0n) - cost;
  return Object.entries(all) as [Asset['asset'], bigint][];
}

/**
 * It is buried: what it did to the account goes into the books, in the same commit. An asset whose books are not open
 * yet has it in what they are opened with.
 */
export function bookMined(
  { ledger, bookCoins }: Store,
  { network, subject }: NonceRow,
  mined: Mined,
  at: number,
): void {
  for (const [asset, amount] of takenWithGas(mined)) {
    const of = { network, asset };
    const before = bookCoins.all(of).get(accountPlace);
    if (before === undefined || amount === 0n) continue;
    bookCoins.put(of, accountPlace, before + amount);
    ledger.write(subject, at, 'moved', { ...of, amount }, mined.by);
  }
}
