import { evmLightningRecord, type EvmLightningRecord } from '../../contract/directions/evm-lightning.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import type { Clocks } from '../../domain/time.ts';
import { bitcoinOn } from '../../domain/token.ts';
import { evmTime } from '../../legs/evm/timelocks.ts';
import type { EvmLeg } from '../evm/terms.ts';
import { pairIn, peggedInfo, satsDown, serviceIn, wrongLock } from '../evm/verify.ts';
import type { Deal, LightningLeg } from '../terms.ts';
import { distrust, leastTimeToPay, objection, read, wrongFrame, wrongHash, type Objection } from '../verify.ts';
import type { TakeEvmLightningTerms } from './terms.ts';

/** Above a quarter of the source the difference is no fee any more. */
const mostCostBps = 2_500n;

function wrongAmounts(record: EvmLightningRecord, terms: TakeEvmLightningTerms): Objection {
  if (record.source_amount.length > 40) return 'its amounts are more than there is';
  const units = BigInt(record.source_amount);
  const source = satsDown(units, terms);
  const cost = source - terms.targetAmount;
  const fees = BigInt(record.fee_sats) + BigInt(record.network_fee_sats);
  return (
    objection(units <= terms.sourceAmount, `it asks for ${units} units, at most ${terms.sourceAmount} were agreed`) ??
    objection(
      record.evm_expected_sats === record.source_amount,
      `it wants ${record.evm_expected_sats} units locked, it asks for ${record.source_amount}`,
    ) ??
    objection(
      record.target_amount === terms.targetAmount.toString(),
      `it would pay ${record.target_amount} sats, the invoice asks for ${terms.targetAmount}`,
    ) ??
    objection(cost === fees, `its fees of ${fees} sats are not the ${cost} between its two amounts`) ??
    objection(cost * 10_000n <= source * mostCostBps, `its fees take ${cost} of ${source} sats, more than a quarter`)
  );
}

function wrongTimes(record: EvmLightningRecord, terms: TakeEvmLightningTerms, now: Clocks): Objection {
  const timelock = record.evm_refund_locktime;
  const time = evmTime(now, terms.chain);
  if (time === null) return 'the clock of the EVM chain, by which its lock is judged, cannot be read now';
  return (
    objection(
      record.invoice_expires_at === terms.invoiceExpiresAt,
      `it says that the invoice expires at ${record.invoice_expires_at}, it expires at ${terms.invoiceExpiresAt}`,
    ) ??
    objection(
      terms.invoiceExpiresAt >= now.wall + leastTimeToPay,
      `the invoice expires at ${terms.invoiceExpiresAt}, too soon to be paid`,
    ) ??
    objection(timelock > time, `its refund opens at ${timelock}, which has passed`) ??
    objection(
      timelock <= Math.max(now.wall, time) + terms.policy.longestLeg,
      `its refund opens at ${timelock} only, more than ${terms.policy.longestLeg} seconds from now`,
    )
  );
}

/** What we would lock, or the sentence for which nothing is signed. */
export function verifyEvmLightning(
  given: unknown,
  terms: TakeEvmLightningTerms,
  now: Clocks,
): Deal<EvmLeg, LightningLeg> | Refusal {
  const record = read(evmLightningRecord, given);
  if (isRefusal(record)) return record;
  const wrong =
    wrongFrame(record, terms, { source: peggedInfo(terms), target: bitcoinOn('Lightning') }) ??
    wrongLock(record, terms) ??
    wrongAmounts(record, terms) ??
    wrongHash(record, terms) ??
    objection(
      record.client_lightning_invoice.toLowerCase() === terms.bolt11,
      'the invoice that it would pay is not ours',
    ) ??
    objection(!record.lightning_payment_settled, 'it says that the invoice is paid although nothing was locked') ??
    objection(record.gasless === terms.gasless, 'it is not for whom we asked to send the transactions') ??
    objection(
      record.bridge_source_chain === undefined && record.bridge_source_token_address === undefined,
      'it comes over a bridge that nobody asked for',
    ) ??
    wrongTimes(record, terms, now);
  if (wrong !== null) return distrust(wrong);
  const contracts = pairIn(record, terms);
  const service = serviceIn(record, terms);
  if (contracts === null || service === null) return distrust('its lock is none that this node knows');
  const amount = BigInt(record.source_amount);
  return {
    swapId: record.id,
    costs: [
      { part: 'service', sats: BigInt(record.fee_sats) },
      { part: 'network', sats: BigInt(record.network_fee_sats) },
    ],
    source: {
      on: 'evm',
      amount,
      network: terms.chain,
      contracts,
      lock: {
        preimageHash: terms.hash,
        amount,
        token: terms.pegged.address,
        refundAddress: contracts.coordinator,
        claimAddress: service,
        timelock: BigInt(record.evm_refund_locktime),
      },
    },
    target: { on: 'lightning', amount: terms.targetAmount, bolt11: terms.bolt11, expiresAt: terms.invoiceExpiresAt },
  };
}
