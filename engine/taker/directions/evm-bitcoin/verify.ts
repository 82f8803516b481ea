import { evmBitcoinRecord, type EvmBitcoinRecord } from '../../../contract/directions/evm-bitcoin.ts';
import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import { asPublicKey, xOnlyOf } from '../../../domain/hash.ts';
import { fromHex, toHex } from '../../../domain/hex.ts';
import { furthest, isRead, unix, type Clocks, type ReadClocks } from '../../../domain/time.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import type { HtlcTerms } from '../../../legs/onchain/htlc.ts';
import { claimUntil } from '../../../legs/timelocks.ts';
import { isXOnly } from '../../../legs/secp256k1.ts';
import { hash160OfSha256 } from '../../../legs/secret.ts';
import type { EvmLeg } from '../../evm/terms.ts';
import { lockOf, peggedInfo, wrongLock, wrongPrice, wrongRefundTime } from '../../evm/verify.ts';
import { derivedHtlc } from '../../htlc.ts';
import type { BitcoinLeg, Deal } from '../../terms.ts';
import { distrust, keyIn, objection, oneFeeFrameOf, read, wrongFrame, type Objection } from '../../verify.ts';
import type { TakeEvmBitcoinTerms } from './terms.ts';

function wrongParts(record: EvmBitcoinRecord, terms: TakeEvmBitcoinTerms): Objection {
  return (
    objection(record.evm_hash_lock.toLowerCase() === `0x${toHex(terms.hash)}`, 'its hash is not ours') ??
    objection(
      record.btc_hash_lock.toLowerCase() === toHex(hash160OfSha256(terms.hash)),
      'its hash on the Bitcoin chain is not ours',
    ) ??
    objection(record.btc_user_claim_pk === toHex(xOnlyOf(terms.key)), 'its claim key is not ours') ??
    objection(isXOnly(keyIn(record.btc_server_refund_pk)), 'its refund key is not a point of the curve') ??
    objection(
      record.btc_htlc_script_version === 1,
      `its Bitcoin script has version ${record.btc_htlc_script_version}, we asked for 1`,
    ) ??
    objection(record.target_btc_address === undefined, 'it names a Bitcoin address that nobody gave it') ??
    objection(
      record.btc_claim_txid === undefined && record.btc_fund_txid === undefined && record.btc_fund_vout === undefined,
      'it names transactions although nothing was paid',
    )
  );
}

/**
 * The provider's coin must leave us time to claim, by the line that the claim itself is held to, however late in the
 * window we lock: past that line nothing is claimed, and our tokens wait for their refund. Our lock must be ours again
 * in bounded time, and never before the provider's coin is its own again: nobody who means it offers both legs to one
 * side.
 */
function wrongTimes(record: EvmBitcoinRecord, terms: TakeEvmBitcoinTerms, now: ReadClocks): Objection {
  const { policy } = terms;
  const timelock = record.evm_refund_locktime;
  const lock = record.btc_refund_locktime;
  const paidBy = unix(Math.max(now.bitcoin.mtp, furthest(now.bitcoin).mtp ?? 0)) + policy.fundingWindow;
  const claimBefore = claimUntil(unix(lock), policy);
  return (
    objection(
      claimBefore >= paidBy + policy.leastClaimTime,
      `its bitcoin can be taken back at ${lock}, so that it must be claimed before ${claimBefore}, less than ` +
        `${policy.leastClaimTime} seconds after the tokens may be locked`,
    ) ??
    objection(timelock > lock, `our refund opens at ${timelock}, before its bitcoin could be taken back at ${lock}`) ??
    wrongRefundTime(record, terms, now)
  );
}

/**
 * The HTLC with our half of it taken from ourselves; its address must be the record's. A key without its sign is the
 * even one (BIP-340).
 */
function deriveHtlc(record: EvmBitcoinRecord, terms: TakeEvmBitcoinTerms): Omit<BitcoinLeg, 'since'> | Refusal {
  const htlc: HtlcTerms = {
    form: 'p2tr',
    hash: hash160OfSha256(terms.hash),
    claimer: terms.key,
    refunder: asPublicKey(Uint8Array.of(2, ...fromHex(record.btc_server_refund_pk))),
    refundLocktime: unix(record.btc_refund_locktime),
  };
  const derived = derivedHtlc(htlc, record, terms);
  return isRefusal(derived) ? derived : { on: 'bitcoin', amount: terms.targetAmount, ...derived };
}

/** What we would lock, or the sentence for which nothing is signed. */
export function verifyEvmBitcoin(
  given: unknown,
  terms: TakeEvmBitcoinTerms,
  now: Clocks,
): Deal<EvmLeg, BitcoinLeg> | Refusal {
  const record = read(evmBitcoinRecord, given);
  if (isRefusal(record)) return record;
  if (!isRead(now)) return distrust('the Bitcoin clock, by which its coin is judged, cannot be read now');
  const wrong =
    wrongFrame(record, terms, { source: peggedInfo(terms), target: bitcoinOn('Bitcoin') }) ??
    wrongLock(record, terms) ??
    // The network's part is in the one fee of this record.
    wrongPrice({ ...record, network_fee_sats: 0 }, terms) ??
    wrongParts(record, terms) ??
    wrongTimes(record, terms, now);
  if (wrong !== null) return distrust(wrong);
  const source = lockOf(record, terms);
  if (isRefusal(source)) return source;
  const target = deriveHtlc(record, terms);
  if (isRefusal(target)) return target;
  return {
    ...oneFeeFrameOf(record),
    source,
    // No coin of the provider's is older than the key that it is paid to.
    target: { ...target, since: now.bitcoin.height },
  };
}
