import { isRefusal, type Refusal } from '../domain/errors.ts';
import { asPublicKey } from '../domain/hash.ts';
import { fromHex, toHex } from '../domain/hex.ts';
import { sats } from '../domain/money.ts';
import { blockInterval, height, type ReadClocks } from '../domain/time.ts';
import { htlcAddress, htlcScript, type HtlcTerms, type MusigHtlcTerms } from '../legs/onchain/htlc.ts';
import { tipOf } from '../legs/onchain/timelocks.ts';
import { isXOnly } from '../legs/secp256k1.ts';
import { hash160OfSha256 } from '../legs/secret.ts';
import { blocksUp, claimUntil } from '../legs/timelocks.ts';
import type { BitcoinLeg, OrderTerms } from './terms.ts';
import { distrust, keyIn, objection, type Objection } from './verify.ts';

/*
 * An HTLC on the Bitcoin chain whose output key is the aggregate of both keys, as a record says it. Wrong: bitcoin at
 * an address that we cannot open, or that somebody else can.
 */

/** Beside the record's own fields; its refund opens at a height. */
interface HtlcRecord {
  readonly btc_htlc_address: string;
  readonly btc_htlc_script_version: number;
  readonly btc_refund_locktime: number;
}
export interface TargetRecord extends HtlcRecord {
  readonly target_amount: string;
  readonly btc_server_refund_pk: string;
  readonly btc_user_claim_pk: string;
  readonly target_btc_address?: string | undefined;
}

/** What is wrong with the form of such an HTLC, whoever funds it. */
export function wrongForm(record: HtlcRecord): Objection {
  return (
    objection(
      record.btc_htlc_script_version === 2,
      `its Bitcoin script has version ${record.btc_htlc_script_version}, we asked for 2`,
    ) ??
    objection(
      record.btc_refund_locktime > 0 && record.btc_refund_locktime < 500_000_000,
      'its refund locktime is a time, not a height',
    )
  );
}

/** What is wrong with the HTLC that a provider would fund for us. */
export function wrongTarget(record: TargetRecord, terms: OrderTerms): Objection {
  return wrongForm(record) ?? wrongKeys(record, toHex(terms.key));
}

/** The same of its keys, in whatever form they are. `ours`: as the record should say it. */
export function wrongKeys(record: Omit<TargetRecord, 'target_amount'>, ours: string): Objection {
  return (
    objection(record.btc_user_claim_pk === ours, 'its claim key is not ours') ??
    objection(isXOnly(keyIn(record.btc_server_refund_pk)), 'its refund key is not a point of the curve') ??
    objection(record.target_btc_address === undefined, 'it names a Bitcoin address that nobody gave it')
  );
}

/**
 * The provider's coin must leave us time to claim, by the line that the claim itself is held to, however late in
 * `window`, in seconds from now, we pay and however fast blocks come in it; and must not lie absurdly far away.
 */
export function wrongClaimHeight(
  { btc_refund_locktime: end }: HtlcRecord,
  { policy, restored }: Pick<OrderTerms, 'policy' | 'restored'>,
  now: ReadClocks,
  window: number,
): Objection {
  const tip = tipOf(now);
  const line = claimUntil(height(end), policy);
  const needed = tip + blocksUp(window + policy.leastClaimTime, policy);
  return (
    objection(
      line >= needed,
      `its bitcoin can be taken back from block ${end} on, so that it must be claimed before block ${line}, less than ` +
        `${policy.leastClaimTime} seconds after it may be paid for`,
    ) ??
    objection(
      restored !== undefined || end <= furthestEnd(now, policy),
      `its bitcoin can be taken back from block ${end} on only, what we give could be held for too long`,
    )
  );
}

/**
 * The last height at which anything may end that is paid for now. Of what is found again nobody knows the tip of its
 * create, but only what it was not below (`clocksAt`): nothing is paid for that again, and it is not asked.
 */
export function furthestEnd(now: ReadClocks, { longestLeg }: OrderTerms['policy']): number {
  return tipOf(now) + Math.ceil(longestLeg / blockInterval);
}

/** The HTLC with our half of it taken from ourselves; its address must be the record's. */
export function offeredHtlc(record: TargetRecord, terms: OrderTerms, now: ReadClocks): BitcoinLeg | Refusal {
  const htlc: MusigHtlcTerms = {
    form: 'musig',
    hash: hash160OfSha256(terms.hash),
    claimer: terms.key,
    refunder: asPublicKey(fromHex(record.btc_server_refund_pk)),
    provider: 'refunder',
    sizeGuard: true,
    refundHeight: record.btc_refund_locktime,
  };
  const derived = derivedHtlc(htlc, record, terms);
  // No coin of the provider's is older than the key that it is paid to.
  if (isRefusal(derived)) return derived;
  return { on: 'bitcoin', amount: sats(BigInt(record.target_amount)), ...derived, since: now.bitcoin.height };
}

/** An HTLC of any form by its terms; the address that they make must be the record's. */
export function derivedHtlc<H extends HtlcTerms>(
  htlc: H,
  { btc_htlc_address: theirs }: Pick<HtlcRecord, 'btc_htlc_address'>,
  { network }: Pick<OrderTerms, 'network'>,
): Pick<BitcoinLeg<H>, 'htlc' | 'script' | 'address'> | Refusal {
  const address = htlcAddress(htlc, network);
  return address === theirs
    ? { htlc, script: htlcScript(htlc).pkScript, address }
    : distrust(`its Bitcoin address is ${theirs}, its terms make ${address}`);
}
