import { less, minus, sats, type Sats } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import { arkadeFailure } from '../../legs/arkade/failures.ts';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import type { VhtlcTerms } from '../../legs/arkade/terms.ts';
import type { Vtxo } from '../../legs/arkade/vtxo.ts';
import { inputTotal } from './build.ts';
import { paidByBatch } from './coins.ts';
import { intentFees } from './fees.ts';
import { takeThroughBatch } from './intent.ts';
import type { ArkadeOptions, Operator, OperatorSettings } from './operator.ts';
import type { OwnWallet } from './wallet.ts';
import { partySecret, requirePreimage, vhtlcInputs } from './vhtlc.ts';

/** The coins of a batch show a moment after its commitment: asked this often, this many milliseconds apart. */
const paidTries = 10;
const paidPause = 100;

/** Coins of a VHTLC through a batch. */
export function createSettle(options: ArkadeOptions, operator: Operator, wallet: OwnWallet): ArkadePort['settle'] {
  return async ({ terms, key, coins, leaf, preimage, to, mostFee: allowed, signal }) => {
    const claim = leaf === 'claim';
    const secret = partySecret(options, terms, key, claim ? 'receiver' : 'sender');
    const inputs = vhtlcInputs(terms, leaf, coins, claim ? requirePreimage(terms, preimage) : undefined);
    if (!claim) refuseRefund(terms, coins, options.clock.mtp());
    const { present } = await wallet.scripts();
    const script = to ?? present.tap.pkScript;
    const sum = sats(inputTotal(inputs));
    const mostFee = allowed ?? sats(sum / 2n);
    const earlier = batchOf(coins);
    if (earlier !== null) {
      const paid = await requirePaid(operator, earlier, { script, least: less(sum, mostFee), most: sum });
      return { commitmentTxid: earlier, fee: minus(sum, paid) };
    }
    const done = await takeThroughBatch(options, operator, signal, (settings) => ({
      inputs,
      coins,
      to: script,
      fee: allowedFee(settings, coins, script, mostFee),
      secret,
      locked: !claim,
    }));
    if (done === null) throw new RangeError('an intent over the coins of a VHTLC is never left out');
    const { commitmentTxid, fee, paid } = done;
    await requirePaid(operator, commitmentTxid, { script, least: paid, most: paid });
    return { commitmentTxid, fee };
  };
}

/** The operator would take it earlier from an expired coin; we gave our word on the locktime (facts/arkade.md 27). */
function refuseRefund(terms: VhtlcTerms, coins: readonly Vtxo[], mtp: number | null): void {
  if (mtp === null || mtp < terms.refundLocktime)
    throw arkadeFailure(
      'locked',
      'safe',
      `the VHTLC is locked until ${terms.refundLocktime} by median time past, which is ${mtp ?? 'unread'}`,
    );
  if (coins.some((coin) => !coin.recoverable))
    throw arkadeFailure('not-recoverable', 'never', 'a live coin is refunded by a transaction, not through a batch');
}

/** The one batch that took all of them, or null. */
function batchOf(coins: readonly Vtxo[]): Txid | null {
  const batch = coins[0]?.settledBy ?? null;
  return coins.every(({ settledBy }) => settledBy === batch) ? batch : null;
}

/** The operator's fee for the coins of a VHTLC, if it is allowed. */
function allowedFee(settings: OperatorSettings, coins: readonly Vtxo[], to: Uint8Array, mostFee: Sats): Sats {
  const fee = intentFees(settings, to).total(coins);
  const sum = coins.reduce((all, coin) => all + coin.amount, 0n);
  if (fee > mostFee || sum - fee < settings.dust)
    throw arkadeFailure(
      'too-dear',
      'safe',
      `the Arkade operator asks ${fee} sats for taking ${sum} sats through a batch, at most ${mostFee} may be paid`,
    );
  return fee;
}

/** Past its expiry the other party alone may take the coin of a VHTLC through a batch, and that one is not ours. */
async function requirePaid(
  operator: Operator,
  batchTxid: Txid,
  to: { script: Uint8Array; least: bigint; most: bigint },
): Promise<Sats> {
  for (let i = 0; i < paidTries; i++) {
    const paid = await paidByBatch(operator, batchTxid, to);
    if (paid !== null) return paid;
    await new Promise((resolve) => setTimeout(resolve, paidPause));
  }
  throw arkadeFailure(
    'batch-foreign',
    'ask-first',
    `the coin went into the batch ${batchTxid}, which shows no coin of ours: somebody else may have taken it`,
  );
}
