import type { z } from 'zod';
import type { VhtlcRecord } from '../contract/records/parts.ts';
import { refuse, type Refusal } from '../domain/errors.ts';
import { asXOnly, sameBytes, type XOnly } from '../domain/hash.ts';
import { fromHex, toHex } from '../domain/hex.ts';
import { sats, type Sats } from '../domain/money.ts';
import { laterOf, seconds, unix, type Clocks } from '../domain/time.ts';
import type { TokenInfo } from '../domain/token.ts';
import { sameName } from '../domain/evm-address.ts';
import { isXOnly } from '../legs/secp256k1.ts';
import { hash160OfSha256 } from '../legs/secret.ts';
import { locktimePassed } from '../legs/timelocks.ts';
import { arkadePrefix, encodeArkadeAddress } from '../legs/arkade/address.ts';
import { vhtlcOutput } from '../legs/arkade/script.ts';
import type { VhtlcTerms } from '../legs/arkade/terms.ts';
import { tame } from './answers.ts';
import type { ArkadeLeg, ArkadeOrderTerms, OrderTerms } from './terms.ts';

/*
 * A provider's record, derived again from what we asked for before anybody is shown where to pay. Every part of it is
 * compared, recomputed, or listed in the tests with the reason why it may say anything. Wrong: money is paid to a
 * script that we cannot open, or for less than was asked for.
 */

/** What a record says of its price. */
export type Priced = Pick<VhtlcRecord, 'source_amount' | 'target_amount' | 'fee_sats'> & NetworkFee;

/** Left out by a record whose one fee has the network's part in it. */
export interface NetworkFee {
  readonly network_fee_sats?: number;
}

/** What every record says, and what it may not say yet. */
export type CommonFields = Pick<
  VhtlcRecord,
  'id' | 'network' | 'status' | 'source_token' | 'target_token' | 'surplus_amount'
> & { readonly [F in (typeof afterPayment)[number]]?: unknown };

/** Fields of a record that only a swap with a payment has. */
const afterPayment = [
  'arkade_fund_txid',
  'arkade_claim_txid',
  'btc_fund_txid',
  'btc_fund_vout',
  'btc_claim_txid',
] as const;

/** The whole of a quarter: above that share of the source the difference is no fee any more. */
export const mostCostBps = 2_500n;
/** BIP-68 counts seconds in units of 512, sixteen bits of them. */
const delayUnit = 512;
const longestDelay = 0xffff * delayUnit;
/** An invoice must be payable for at least this long once it is shown. */
export const leastTimeToPay = seconds(60);

/** Nothing that a lock of that chain, or of Arkade, hangs on is judged without it. */
export const bitcoinUnread = 'the Bitcoin clock, by which its locktimes are judged, cannot be read now';

/** The first objection, or null. */
export type Objection = string | null;

export function objection(holds: boolean, sentence: string): Objection {
  return holds ? null : sentence;
}

export function read<S extends z.ZodType>(schema: S, given: unknown): z.infer<S> | Refusal {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues[0]?.path.join('.') ?? '';
  return distrust(`its ${where === '' ? 'form' : where} is missing or malformed`);
}

export function distrust(what: string): Refusal {
  return refuse(
    'forbidden',
    `The provider's record cannot be trusted: ${tame(what)}. Nothing was paid; use another provider.`,
  );
}

function sameToken(given: TokenInfo, expected: TokenInfo): boolean {
  // Name and symbol are words for people, and we show our own.
  return (
    given.chain === expected.chain &&
    given.decimals === expected.decimals &&
    sameName(given.token_id, expected.token_id)
  );
}

/** A 32-byte or compressed key as scripts take it. */
export function keyIn(text: string): XOnly {
  const bytes = fromHex(text);
  return asXOnly(bytes.length === 33 ? bytes.subarray(1) : bytes);
}

function amountIn(text: string): Sats | null {
  return text.length <= 16 ? sats(BigInt(text)) : null;
}

/** What else a provider may call a network by: published clients derive addresses by these (facts/clients.md 17). */
const otherNames: Readonly<Partial<Record<OrderTerms['network'], readonly string[]>>> = {
  mainnet: ['bitcoin'],
  mutinynet: ['signet'],
};

export function wrongFrame(
  record: CommonFields,
  terms: OrderTerms,
  tokens: { source: TokenInfo; target: TokenInfo },
): Objection {
  const network: readonly string[] = [terms.network, ...(otherNames[terms.network] ?? [])];
  return (
    objection(record.id.length > 0 && record.id.length <= 100, 'its id cannot be used') ??
    objection(network.includes(record.network), `it is on the network ${record.network}, we are on ${terms.network}`) ??
    objection(record.status === 'pending', `its status is ${record.status}, a new swap is pending`) ??
    objection(sameToken(record.source_token, tokens.source), 'its source token is not the one that was asked for') ??
    objection(sameToken(record.target_token, tokens.target), 'its target token is not the one that was asked for') ??
    objection(record.surplus_amount === undefined, 'it names a surplus although nothing was paid') ??
    objection(
      afterPayment.every((field) => record[field] === undefined),
      'it names transactions although nothing was paid',
    )
  );
}

export function wrongAmounts(
  record: Priced,
  terms: Pick<ArkadeOrderTerms, 'sourceAmount' | 'targetAmount'>,
): Objection {
  const source = amountIn(record.source_amount);
  const target = amountIn(record.target_amount);
  if (source === null || target === null) return 'its amounts exceed 21M bitcoin';
  const cost = source - target;
  const { fee_sats: fee, network_fee_sats: network = 0 } = record;
  return (
    objection(source <= terms.sourceAmount, `it asks for ${source} sats, at most ${terms.sourceAmount} were agreed`) ??
    objection(target >= terms.targetAmount, `it pays out ${target} sats, at least ${terms.targetAmount} were agreed`) ??
    objection(
      cost === BigInt(fee) + BigInt(network),
      `its fees of ${fee} and ${network} sats are not the ${cost} between its two amounts`,
    ) ??
    objection(cost * 10_000n <= source * mostCostBps, `its fees take ${cost} of ${source} sats, more than a quarter`)
  );
}

function wrongDelays(record: VhtlcFields, terms: Pick<ArkadeOrderTerms, 'operator'>): Objection {
  const claim = record.unilateral_claim_delay;
  const refund = record.unilateral_refund_delay;
  const alone = record.unilateral_refund_without_receiver_delay;
  for (const delay of [claim, refund, alone]) {
    if (delay % delayUnit !== 0 || delay < delayUnit || delay > longestDelay)
      return `its delay of ${delay} seconds is not a multiple of ${delayUnit} that a script can say`;
    if (delay < terms.operator.exitDelay)
      return `its delay of ${delay} seconds is shorter than the operator's exit delay of ${terms.operator.exitDelay}`;
  }
  return objection(
    claim <= refund && refund <= alone,
    `its delays of ${claim}, ${refund} and ${alone} seconds are not in their order`,
  );
}

/** Of a VHTLC that we fund: its refund is ours to sign. */
export function wrongSender(record: Pick<VhtlcRecord, 'sender_pk'>, { key }: Pick<ArkadeOrderTerms, 'key'>): Objection {
  return objection(record.sender_pk === toHex(key), 'its refund key is not ours');
}

/** Of a VHTLC that we claim. */
export function wrongReceiver(
  record: Pick<VhtlcRecord, 'receiver_pk'> & { readonly target_arkade_address?: string | undefined },
  { key, targetAddress }: Pick<ArkadeOrderTerms, 'key'> & { readonly targetAddress: string },
): Objection {
  return (
    objection(record.receiver_pk === toHex(key), 'its claim key is not ours') ??
    objection(record.target_arkade_address === targetAddress, 'its Arkade address is not ours')
  );
}

/**
 * Of a VHTLC that we claim: otherwise its sender could leave by its own leaf before our claim on the chain is mined,
 * once the operator is gone (facts/faults.md 146).
 */
export function wrongClaimDelay(
  { unilateral_claim_delay: ours, unilateral_refund_without_receiver_delay: theirs }: Delays,
  terms: Waiting,
): Objection {
  // What was agreed once is found again as it is.
  const spare = terms.restored === undefined ? terms.policy.margin : 1;
  return (
    wrongWait(ours, terms) ??
    objection(
      theirs >= ours + spare,
      `its sender could leave the VHTLC ${theirs - ours} seconds after we can, before our claim is surely mined`,
    )
  );
}

type Delays = Pick<VhtlcRecord, 'unilateral_claim_delay' | 'unilateral_refund_without_receiver_delay'>;
type Waiting = Pick<ArkadeOrderTerms, 'policy' | 'operator' | 'restored'>;

/** Steps of the operator's exit delay after which we are alone with the chain, at most; ours has three. */
const mostSteps = 4;

/** Without the operator our coins must not be locked for absurdly long, whichever side of a VHTLC they are on. */
function wrongWait(alone: number, { policy, operator, restored }: Waiting): Objection {
  const longest = policy.longestLeg + policy.fundingWindow + policy.margin + mostSteps * operator.exitDelay;
  return objection(
    alone <= longest || restored !== undefined,
    `without its operator our coins are ours only ${alone} seconds after they came to the chain, more than ${longest}`,
  );
}

/** What a record says of its VHTLC, under either name of the address. */
export type VhtlcFields = Omit<VhtlcRecord, 'arkade_vhtlc_address'> & {
  readonly [F in 'arkade_vhtlc_address' | 'btc_vhtlc_address']?: string | undefined;
};

/** The VHTLC of the record with `ours` of its keys taken from ourselves; its address must be the record's. */
export function vhtlcLeg(
  record: VhtlcFields,
  terms: Pick<ArkadeOrderTerms, 'network' | 'operator' | 'hash' | 'key'>,
  ours: 'sender' | 'receiver',
): ArkadeLeg | Refusal {
  const own = keyIn(toHex(terms.key));
  const keys =
    ours === 'sender'
      ? { sender: own, receiver: keyIn(record.receiver_pk) }
      : { sender: keyIn(record.sender_pk), receiver: own };
  if (record.arkade_htlc_script_version !== 1)
    return distrust(`its script has version ${record.arkade_htlc_script_version}, we asked for 1`);
  if (!sameBytes(keyIn(record.arkade_server_pk), terms.operator.signer))
    return distrust('it names another Arkade operator than ours');
  if (!isXOnly(keys.sender) || !isXOnly(keys.receiver)) return distrust('its key is not a point of the curve');
  const delays = wrongDelays(record, terms);
  if (delays !== null) return distrust(delays);
  if (record.vhtlc_refund_locktime < 500_000_000) return distrust('its refund locktime is a height, not a time');
  const vhtlc: VhtlcTerms = {
    ...keys,
    operator: terms.operator.signer,
    hash: hash160OfSha256(terms.hash),
    refundLocktime: unix(record.vhtlc_refund_locktime),
    claimDelay: seconds(record.unilateral_claim_delay),
    refundDelay: seconds(record.unilateral_refund_delay),
    refundWithoutReceiverDelay: seconds(record.unilateral_refund_without_receiver_delay),
  };
  const { pkScript, outputKey } = vhtlcOutput(vhtlc);
  const address = encodeArkadeAddress({
    prefix: arkadePrefix(terms.network),
    operator: terms.operator.signer,
    outputKey,
  });
  const theirs = record.arkade_vhtlc_address ?? record.btc_vhtlc_address;
  if (address !== theirs) return distrust(`its VHTLC address is ${theirs}, its terms make ${address}`);
  const amount = sats(BigInt(ours === 'sender' ? record.source_amount : record.target_amount));
  return { on: 'arkade', amount, vhtlc, script: pkScript, address };
}

/** Our own coins at a VHTLC must not be locked for absurdly long, with the operator or without it. */
export function wrongRefundTime(
  {
    vhtlc_refund_locktime: locktime,
    unilateral_refund_without_receiver_delay: alone,
  }: Pick<VhtlcRecord, 'vhtlc_refund_locktime' | 'unilateral_refund_without_receiver_delay'>,
  terms: Waiting,
  now: Clocks,
): Objection {
  const { longestLeg } = terms.policy;
  return (
    wrongWait(alone, terms) ??
    objection(!locktimePassed(unix(locktime), now.bitcoin), `its refund locktime ${locktime} has passed`) ??
    objection(
      locktime <= laterOf(now) + longestLeg,
      `its refund opens at ${locktime} only, more than ${longestLeg} seconds from now`,
    )
  );
}

/** Of a record on the hash of a secret of ours, or of our payee's. */
export function wrongHash(record: { readonly hash_lock: string }, terms: OrderTerms): Objection {
  return objection(record.hash_lock.toLowerCase() === `0x${toHex(terms.hash)}`, 'its hash is not ours');
}

/** The same where either chain has a form of it of its own. */
export function wrongHashes(
  {
    evm_hash_lock: onEvm,
    btc_hash_lock: onBitcoin,
  }: { readonly evm_hash_lock: string; readonly btc_hash_lock: string },
  terms: OrderTerms,
): Objection {
  return (
    wrongHash({ hash_lock: onEvm }, terms) ??
    objection(
      onBitcoin.toLowerCase() === toHex(hash160OfSha256(terms.hash)),
      'its hash on the Bitcoin chain is not ours',
    )
  );
}
