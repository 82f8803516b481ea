import { outpointKey, sameOutpoint, type Outpoint } from '../../domain/outpoint.ts';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import type { Vtxo } from '../../legs/arkade/vtxo.ts';
import { readSeenTx } from '../../legs/seen-tx.ts';

/**
 * Of coins that the operator calls spent, by outpoint, those that the named transaction takes: by its bytes and those
 * of the checkpoint between, whose inputs nobody can say otherwise.
 *
 * Wrong here, and the operator explains a coin that it denies by a transaction of ours that took another one.
 */
export async function provenSpends(
  coins: readonly Vtxo[],
  arkade: Pick<ArkadePort, 'virtualTxs'>,
): Promise<ReadonlySet<string>> {
  const named = coins.flatMap(({ outpoint, spentIn, spentBy }) =>
    spentIn === null || spentBy === null ? [] : [{ outpoint, spentIn, spentBy }],
  );
  if (named.length === 0) return new Set();
  const ids = new Set(named.flatMap(({ spentIn, spentBy }) => [spentIn, spentBy]));
  const transactions = await arkade.virtualTxs([...ids]);
  const inputs = new Map(
    [...ids].map((txid): [string, readonly Outpoint[]] => [
      txid,
      readSeenTx(transactions.get(txid) ?? new Uint8Array())?.inputs ?? [],
    ]),
  );
  const isTaken = ({ outpoint, spentIn, spentBy }: (typeof named)[number]): boolean =>
    (inputs.get(spentIn)?.some(({ txid }) => txid === spentBy) ?? false) &&
    (inputs.get(spentBy)?.some((input) => sameOutpoint(input, outpoint)) ?? false);
  return new Set(named.filter(isTaken).map(({ outpoint }) => outpointKey(outpoint)));
}
