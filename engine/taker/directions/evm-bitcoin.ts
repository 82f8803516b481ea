import { evmBitcoinRecord, type EvmBitcoinRecord } from '../../contract/directions/evm-bitcoin.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { asPublicKey, xOnlyOf } from '../../domain/hash.ts';
import { fromHex, toHex } from '../../domain/hex.ts';
import type { Sats } from '../../domain/money.ts';
import { furthest, unix, type ReadClocks } from '../../domain/time.ts';
import type { HtlcTerms } from '../../legs/onchain/htlc.ts';
import { isXOnly } from '../../legs/secp256k1.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { claimUntil } from '../../legs/timelocks.ts';
import { priceFromEvm, requestFromEvm } from '../evm/order-from.ts';
import { lockOf, wrongRefundTime } from '../evm/verify.ts';
import { derivedHtlc } from '../htlc.ts';
import { toBitcoin } from '../sides/bitcoin.ts';
import { fromEvm } from '../sides/evm.ts';
import { taken } from '../taken.ts';
import type { BitcoinLeg, OrderTerms } from '../terms.ts';
import { dealt, keyIn, objection, wrongHashes, type Objection } from '../verify.ts';

/**
 * Tokens of ours are locked by our signature, the provider pays on the Bitcoin chain, and our claim there shows it the
 * secret.
 */
export const takenEvmBitcoin = taken('evm-bitcoin', evmBitcoinRecord, {
  ours: 'btc_user_claim_pk',
  price: priceFromEvm,
  source: fromEvm,
  target: toBitcoin,
  request: (t) => ({
    btc_htlc_script_version: 1,
    claim_pk: toHex(t.key),
    hash_lock: `0x${toHex(t.hash)}`,
    amount_out: Number(t.targetAmount),
    ...requestFromEvm(t),
  }),
  unread: 'the Bitcoin clock, by which its coin is judged, cannot be read now',
  wrong: (record, terms, now) =>
    wrongHashes(record, terms) ??
    objection(record.btc_user_claim_pk === toHex(xOnlyOf(terms.key)), 'its claim key is not ours') ??
    objection(isXOnly(keyIn(record.btc_server_refund_pk)), 'its refund key is not a point of the curve') ??
    objection(
      record.btc_htlc_script_version === 1,
      `its Bitcoin script has version ${record.btc_htlc_script_version}, we asked for 1`,
    ) ??
    objection(record.target_btc_address === undefined, 'it names a Bitcoin address that nobody gave it') ??
    wrongClaimTime(record, terms, now) ??
    wrongRefundTime(record, terms, now),
  deal: (record, terms, now) => dealt(record, lockOf(record, terms), htlcOf(record, terms, now)),
});

/**
 * The provider's coin must leave us time to claim, by the line that the claim itself is held to, however late in the
 * window we lock: past that line nothing is claimed, and our tokens wait for their refund. Our lock must never be ours
 * again before the provider's coin is its own: nobody who means it offers both legs to one side.
 */
function wrongClaimTime(record: EvmBitcoinRecord, { policy }: OrderTerms, now: ReadClocks): Objection {
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
    objection(timelock > lock, `our refund opens at ${timelock}, before its bitcoin could be taken back at ${lock}`)
  );
}

/**
 * The HTLC with our half of it taken from ourselves; its address must be the record's. A key without its sign is the
 * even one (BIP-340).
 */
function htlcOf(
  record: EvmBitcoinRecord,
  terms: OrderTerms & { readonly targetAmount: Sats },
  now: ReadClocks,
): BitcoinLeg | Refusal {
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
