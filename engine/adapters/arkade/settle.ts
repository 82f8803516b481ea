import { minus, sats, type Sats } from '../../domain/money.ts';
import { outpointKey, type Outpoint, type Txid } from '../../domain/outpoint.ts';
import { arkadeFailure } from '../../legs/arkade/failures.ts';
import { withPayout, type BatchPayout } from '../../legs/arkade/batch.ts';
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
  const ours = createOurBatches();
  return async ({
    terms,
    key,
    coins,
    leaf,
    preimage,
    to,
    mostFee: allowed,
    begin,
    begun = [],
    forgottenUntil = null,
    isFree,
    signal,
  }) => {
    const claim = leaf === 'claim';
    const secret = partySecret(options, terms, key, claim ? 'receiver' : 'sender');
    const inputs = vhtlcInputs(terms, leaf, coins, claim ? requirePreimage(terms, preimage) : undefined);
    if (!claim) refuseRefund(terms, coins, options.clock.mtp());
    const { present } = await wallet.scripts();
    const script = to ?? present.tap.pkScript;
    const sum = sats(inputTotal(inputs));
    const mostFee = allowed ?? sats(sum / 2n);
    const taken = (paid: Outpoint): boolean => (isFree?.(paid) ?? true) && ours.credit(coins, paid);
    const payoutAt = (settings: OperatorSettings): BatchPayout => ({
      script,
      amount: minus(sum, allowedFee(settings, coins, script, mostFee)),
    });
    const earlier = batchOf(coins);
    if (earlier !== null) {
      const handed = [...begun, ...ours.begun(coins)];
      if (handed.length === 0 && forgottenUntil !== null)
        handed.push({ ...payoutAt(await operator.settings()), until: forgottenUntil });
      const { paid, amount } = await requirePaid(operator, earlier, handed, taken);
      return { commitmentTxid: earlier, fee: minus(sum, amount), paid };
    }
    const done = await takeThroughBatch(options, operator, signal, (settings) => {
      const payout = payoutAt(settings);
      ours.begin(coins, payout);
      begin?.(payout);
      return { inputs, coins, to: script, fee: minus(sum, payout.amount), secret, locked: !claim };
    });
    if (done === null) throw new RangeError('an intent over the coins of a VHTLC is never left out');
    const { commitmentTxid, fee, paid: amount } = done;
    const { paid } = await requirePaid(operator, commitmentTxid, [{ script, amount }], taken);
    return { commitmentTxid, fee, paid };
  };
}

/** What coins were handed to batches for in this process, and the coins that they came to. */
function createOurBatches() {
  const payouts = new Map<string, readonly BatchPayout[]>();
  const credited = new Map<string, string>();
  const nameOf = (coins: readonly Vtxo[]): string => coins.map(({ outpoint }) => outpointKey(outpoint)).join();
  return {
    begun: (coins: readonly Vtxo[]): readonly BatchPayout[] => payouts.get(nameOf(coins)) ?? [],
    begin(coins: readonly Vtxo[], payout: BatchPayout): void {
      const name = nameOf(coins);
      payouts.set(name, withPayout(payouts.get(name) ?? [], payout));
    },
    /** From here on a coin that a batch paid stands for these; false where it stands for others already. */
    credit(coins: readonly Vtxo[], paid: Outpoint): boolean {
      const [key, name] = [outpointKey(paid), nameOf(coins)];
      if (!credited.has(key)) credited.set(key, name);
      return credited.get(key) === name;
    },
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
  payouts: readonly BatchPayout[],
  isFree: (paid: Outpoint) => boolean,
): Promise<{ readonly paid: Outpoint; readonly amount: Sats }> {
  // Coins that were handed to no batch of ours are in somebody else's.
  for (let i = 0; i < paidTries && payouts.length > 0; i++) {
    const paid = await paidByBatch(operator, batchTxid, payouts, isFree);
    if (paid !== null) return paid;
    await new Promise((resolve) => setTimeout(resolve, paidPause));
  }
  throw arkadeFailure(
    'batch-foreign',
    'ask-first',
    `the coin went into the batch ${batchTxid}, which shows no coin of ours: somebody else may have taken it`,
  );
}
