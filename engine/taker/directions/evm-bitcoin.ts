import { evmBitcoinRecord, type EvmBitcoinRecord } from '../../contract/directions/evm-bitcoin.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { asPublicKey, xOnlyOf } from '../../domain/hash.ts';
import { fromHex, toHex } from '../../domain/hex.ts';
import { furthest, unix, type ReadClocks } from '../../domain/time.ts';
import { bitcoinOn } from '../../domain/token.ts';
import type { HtlcTerms } from '../../legs/onchain/htlc.ts';
import { isXOnly } from '../../legs/secp256k1.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { fieldsShape, sats, type ValueOf } from '../../legs/shape.ts';
import { claimUntil } from '../../legs/timelocks.ts';
import { clientOf } from '../client/client.ts';
import { fromEvm, requestFromEvm } from '../evm/order-from.ts';
import { fromEvmFields } from '../evm/shape.ts';
import type { EvmLeg } from '../evm/terms.ts';
import { lockOf, peggedInfo, wrongPrice, wrongRefundTime } from '../evm/verify.ts';
import { claimOnBitcoin } from '../halves/bitcoin/claim/half.ts';
import { fundOnEvm } from '../halves/evm/fund/half.ts';
import { derivedHtlc } from '../htlc.ts';
import { orderFields } from '../shape.ts';
import { agreed, inPrice } from '../sides/agreed.ts';
import { toBitcoin } from '../sides/bitcoin.ts';
import type { BitcoinLeg } from '../terms.ts';
import { verifiedByChain } from '../verified.ts';
import { dealt, keyIn, objection, wrongFrame, wrongHashes, type Objection } from '../verify.ts';
import { fundingWindow } from '../window.ts';

const fields = {
  ...orderFields,
  ...fromEvmFields,
  /** Exactly this is paid to the HTLC; its claim pays its own fee out of it. */
  targetAmount: sats,
};
export type TakeEvmBitcoinTerms = ValueOf<typeof fields>;

/** What we would lock, or the sentence for which nothing is signed. */
export const verifyEvmBitcoin = verifiedByChain(
  evmBitcoinRecord,
  'the Bitcoin clock, by which its coin is judged, cannot be read now',
  {
    wrong: (record, terms: TakeEvmBitcoinTerms, now) =>
      wrongFrame(record, terms, { source: peggedInfo(terms), target: bitcoinOn('Bitcoin') }) ??
      wrongPrice(record, terms) ??
      wrongParts(record, terms) ??
      wrongTimes(record, terms, now),
    deal: (record, terms, now) => dealt(record, lockOf(record, terms), htlcOf(record, terms, now)),
  },
);

/**
 * Tokens of ours are locked by our signature, the provider pays on the Bitcoin chain, and our claim there shows it the
 * secret.
 */
export const takenEvmBitcoin = clientOf<TakeEvmBitcoinTerms, EvmLeg, BitcoinLeg>({
  secret: 'ours',
  terms: fieldsShape(fields),
  fund: fundOnEvm,
  claim: claimOnBitcoin,
  ...agreed('evm-bitcoin', {
    record: evmBitcoinRecord,
    ours: 'btc_user_claim_pk',
    price: fromEvm,
    source: inPrice,
    target: toBitcoin,
  }),
  request: (t) => ({
    btc_htlc_script_version: 1,
    claim_pk: toHex(t.key),
    hash_lock: `0x${toHex(t.hash)}`,
    amount_out: Number(t.targetAmount),
    ...requestFromEvm(t),
  }),
  verify: verifyEvmBitcoin,
  window: fundingWindow,
});

function wrongParts(record: EvmBitcoinRecord, terms: TakeEvmBitcoinTerms): Objection {
  return (
    wrongHashes(record, terms) ??
    objection(record.btc_user_claim_pk === toHex(xOnlyOf(terms.key)), 'its claim key is not ours') ??
    objection(isXOnly(keyIn(record.btc_server_refund_pk)), 'its refund key is not a point of the curve') ??
    objection(
      record.btc_htlc_script_version === 1,
      `its Bitcoin script has version ${record.btc_htlc_script_version}, we asked for 1`,
    ) ??
    objection(record.target_btc_address === undefined, 'it names a Bitcoin address that nobody gave it')
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
function htlcOf(record: EvmBitcoinRecord, terms: TakeEvmBitcoinTerms, now: ReadClocks): BitcoinLeg | Refusal {
  const htlc: HtlcTerms = {
    form: 'p2tr',
    hash: hash160OfSha256(terms.hash),
    claimer: terms.key,
    refunder: asPublicKey(Uint8Array.of(2, ...fromHex(record.btc_server_refund_pk))),
    refundLocktime: unix(record.btc_refund_locktime),
  };
  const derived = derivedHtlc(htlc, record, terms);
  // No coin of the provider's is older than the key that it is paid to.
  return isRefusal(derived)
    ? derived
    : { on: 'bitcoin', amount: terms.targetAmount, ...derived, since: now.bitcoin.height };
}
