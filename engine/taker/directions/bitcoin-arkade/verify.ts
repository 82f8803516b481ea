import { bitcoinArkadeRecord, type BitcoinArkadeRecord } from '../../../contract/directions/bitcoin-arkade.ts';
import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import { asPublicKey, sameBytes, xOnlyOf, type PublicKey } from '../../../domain/hash.ts';
import { fromHex, toHex } from '../../../domain/hex.ts';
import { sats } from '../../../domain/money.ts';
import { after, isRead, laterOf, unix, type ReadClocks, type Clocks } from '../../../domain/time.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import { htlcAddress, htlcScript, type HtlcTerms } from '../../../legs/onchain/htlc.ts';
import { hash160OfSha256 } from '../../../legs/secret.ts';
import { burialDepth } from '../../../legs/onchain/depth.ts';
import { burialWait } from '../../../legs/onchain/timelocks.ts';
import { latestByChain } from '../../../legs/timelocks.ts';
import {
  deriveVhtlc,
  distrust,
  keyIn,
  objection,
  oneFeeFrameOf,
  read,
  wrongAmounts,
  wrongFrame,
  type Objection,
} from '../../verify.ts';
import type { TakeBitcoinArkadeTerms } from './terms.ts';
import type { PaidLeg } from '../../halves/bitcoin/fund/terms.ts';
import type { ArkadeLeg, Deal } from '../../terms.ts';

/**
 * What is asked of our coin before the service locks; one that does not say it acts at the first, as the interface
 * says.
 */
function confirmationsIn({ btc_funding_confirmations: depth = 1 }: BitcoinArkadeRecord): number {
  return Math.max(1, depth);
}

function wrongParts(record: BitcoinArkadeRecord, terms: TakeBitcoinArkadeTerms): Objection {
  return (
    objection(
      record.btc_fund_txid === undefined && record.btc_claim_txid === undefined,
      'it names transactions although nothing was paid',
    ) ??
    objection(
      record.target_amount === terms.targetAmount.toString(),
      `it pays out ${record.target_amount} sats, ${terms.targetAmount} were asked for`,
    ) ??
    objection(
      record.sats_receive.toString() === record.target_amount &&
        record.asset_amount.toString() === record.source_amount,
      'its amounts contradict each other',
    ) ??
    objection(record.hash_lock === toHex(hash160OfSha256(terms.hash)), 'its hash is not ours') ??
    objection(record.receiver_pk === toHex(terms.key), 'its claim key is not ours') ??
    objection(record.target_arkade_address === terms.targetAddress, 'its Arkade address is not ours') ??
    objection(
      confirmationsIn(record) <= burialDepth,
      `it asks for ${record.btc_funding_confirmations} confirmations, more than the ${burialDepth} that count as final`,
    ) ??
    objection(
      record.btc_htlc_script_version === 1,
      `its Bitcoin script has version ${record.btc_htlc_script_version}, we asked for 1`,
    )
  );
}

/**
 * The service's leg must leave us time to claim however late in the window we pay, and however long our coin takes to
 * be deep enough; ours must be back in bounded time, and never before the service's is over: nobody who means it offers
 * both legs to one side.
 */
function wrongTimes(record: BitcoinArkadeRecord, { policy }: TakeBitcoinArkadeTerms, now: ReadClocks): Objection {
  const lock = record.vhtlc_refund_locktime;
  const refund = record.btc_refund_locktime;
  const paidBy = latestByChain(now.bitcoin, policy) + policy.fundingWindow + burialWait(confirmationsIn(record));
  return (
    objection(
      lock >= paidBy + policy.leastClaimTime,
      `its VHTLC can be taken back at ${lock}, less than ${policy.leastClaimTime} seconds after the bitcoin may ` +
        'be paid and confirmed',
    ) ??
    objection(refund > lock, `its bitcoin could be taken back at ${refund}, before its VHTLC at ${lock}`) ??
    objection(
      refund <= laterOf(now) + policy.longestLeg,
      `our refund opens at ${refund} only, more than ${policy.longestLeg} seconds from now`,
    ) ??
    // Otherwise the sender could leave by its own leaf before the receiver can.
    objection(
      record.unilateral_claim_delay < record.unilateral_refund_without_receiver_delay,
      'its sender could leave the VHTLC as soon as we can',
    )
  );
}

/** A key without its sign is the even one, as x-only keys are everywhere (BIP-340). */
function wholeKey(text: string): PublicKey {
  const bytes = fromHex(text);
  return asPublicKey(bytes.length === 33 ? bytes : Uint8Array.of(2, ...bytes));
}

/** The HTLC in the form that the record says; script and address must be those that our own half makes. */
function deriveHtlc(
  record: BitcoinArkadeRecord,
  terms: TakeBitcoinArkadeTerms,
): Pick<Deal<PaidLeg, ArkadeLeg>['source'], 'htlc' | 'script' | 'address'> | Refusal {
  const claimer = wholeKey(record.server_vhtlc_pk);
  if (!sameBytes(xOnlyOf(claimer), keyIn(record.sender_pk))) return distrust('its two keys are not the same');
  const witness = record.btc_htlc_witness_script;
  const htlc: HtlcTerms = {
    form: witness === undefined ? 'p2tr' : 'p2wsh',
    hash: hash160OfSha256(terms.hash),
    claimer,
    refunder: terms.key,
    refundLocktime: unix(record.btc_refund_locktime),
  };
  const script = htlcScript(htlc);
  if (script.form === 'p2wsh' && witness !== toHex(script.witnessScript))
    return distrust('its Bitcoin script is not the one that its terms make');
  const address = htlcAddress(htlc, terms.network);
  if (address !== record.btc_htlc_address)
    return distrust(`its Bitcoin address is ${record.btc_htlc_address}, its terms make ${address}`);
  return { htlc, script: script.pkScript, address };
}

/** Where we would send bitcoin, or the sentence for which nobody is shown the address. */
export function verifyBitcoinArkade(
  given: unknown,
  terms: TakeBitcoinArkadeTerms,
  now: Clocks,
): Deal<PaidLeg, ArkadeLeg> | Refusal {
  const record = read(bitcoinArkadeRecord, given);
  if (isRefusal(record)) return record;
  if (!isRead(now)) return distrust('the Bitcoin clock, by which its locktimes are judged, cannot be read now');
  const wrong =
    wrongFrame(record, terms, { source: bitcoinOn('Bitcoin'), target: bitcoinOn('Arkade') }) ??
    // The network's part is in the one fee of this record.
    wrongAmounts({ ...record, network_fee_sats: 0 }, terms) ??
    wrongParts(record, terms) ??
    wrongTimes(record, terms, now);
  if (wrong !== null) return distrust(wrong);
  const vhtlc = deriveVhtlc(record, terms, { sender: keyIn(record.sender_pk), receiver: keyIn(toHex(terms.key)) });
  if (isRefusal(vhtlc)) return vhtlc;
  const htlc = deriveHtlc(record, terms);
  if (isRefusal(htlc)) return htlc;
  return {
    ...oneFeeFrameOf(record),
    source: {
      on: 'bitcoin',
      amount: sats(BigInt(record.source_amount)),
      ...htlc,
      // No coin of ours is older than the address that it was shown for.
      since: now.bitcoin.height,
      payBefore: after(now.wall, terms.policy.fundingWindow),
      confirmations: confirmationsIn(record),
    },
    target: { on: 'arkade', amount: sats(BigInt(record.target_amount)), ...vhtlc },
  };
}
