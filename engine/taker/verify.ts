import type { z } from 'zod';
import { arkadeLightningRecord, type ArkadeLightningRecord } from '../contract/directions/arkade-lightning.ts';
import { lightningArkadeRecord, type LightningArkadeRecord } from '../contract/directions/lightning-arkade.ts';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import { asXOnly, sameBytes, type XOnly } from '../domain/hash.ts';
import { fromHex, toHex } from '../domain/hex.ts';
import { sats, type Sats } from '../domain/money.ts';
import { isRead, laterOf, seconds, unix, type Clocks } from '../domain/time.ts';
import { bitcoinOn, type TokenInfo } from '../domain/token.ts';
import { invoiceSats, type Bolt11, type DecodeInvoice } from '../legs/lightning/invoice.ts';
import { isXOnly } from '../legs/secp256k1.ts';
import { hash160OfSha256 } from '../legs/secret.ts';
import { latestByChain, locktimePassed } from '../legs/timelocks.ts';
import { arkadePrefix, encodeArkadeAddress } from '../legs/arkade/address.ts';
import { vhtlcScript } from '../legs/arkade/script.ts';
import type { VhtlcTerms } from '../legs/arkade/terms.ts';
import type { Deal, TakeArkadeLightningTerms, TakeLightningArkadeTerms } from './terms.ts';

/*
 * A provider's record, derived again from what we asked for before anybody is shown where to pay. Every part of it is
 * compared, recomputed, or listed in the tests with the reason why it may say anything. Wrong: money is paid to a
 * script that we cannot open, or for less than was asked for.
 */

type Asked = TakeLightningArkadeTerms | TakeArkadeLightningTerms;
type ArkadeRecord = LightningArkadeRecord | ArkadeLightningRecord;

/** The whole of a quarter: above that share of the source the difference is no fee any more. */
const mostCostBps = 2_500n;
/** BIP-68 counts seconds in units of 512, sixteen bits of them. */
const delayUnit = 512;
const longestDelay = 0xffff * delayUnit;
/** An invoice must be payable for at least this long once it is shown. */
const leastTimeToPay = seconds(60);

/** The first objection, or null. */
type Objection = string | null;

function objection(holds: boolean, sentence: string): Objection {
  return holds ? null : sentence;
}

function read<S extends z.ZodType>(schema: S, given: unknown): z.infer<S> | Refusal {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues[0]?.path.join('.') ?? '';
  return distrust(`its ${where === '' ? 'form' : where} is missing or malformed`);
}

function distrust(what: string): Refusal {
  return refuse(
    'forbidden',
    `The provider's record cannot be trusted: ${what}. Nothing was paid; use another provider.`,
  );
}

function sameToken(given: TokenInfo, expected: TokenInfo): boolean {
  // Name and symbol are words for people, and we show our own.
  return given.chain === expected.chain && given.decimals === expected.decimals && given.token_id === expected.token_id;
}

/** A 32-byte or compressed key as scripts take it. */
function keyIn(text: string): XOnly {
  const bytes = fromHex(text);
  return asXOnly(bytes.length === 33 ? bytes.subarray(1) : bytes);
}

function amountIn(text: string): Sats | null {
  return text.length <= 16 ? sats(BigInt(text)) : null;
}

function wrongFrame(record: ArkadeRecord, asked: Asked, tokens: { source: TokenInfo; target: TokenInfo }): Objection {
  const network = asked.network === 'mainnet' ? ['mainnet', 'bitcoin'] : [asked.network];
  return (
    objection(record.id.length > 0 && record.id.length <= 100, 'its id cannot be used') ??
    objection(network.includes(record.network), `it is on the network ${record.network}, we are on ${asked.network}`) ??
    objection(record.status === 'pending', `its status is ${record.status}, a new swap is pending`) ??
    objection(sameToken(record.source_token, tokens.source), 'its source token is not the one that was asked for') ??
    objection(sameToken(record.target_token, tokens.target), 'its target token is not the one that was asked for') ??
    objection(record.surplus_amount === undefined, 'it names a surplus although nothing was paid') ??
    objection(
      record.arkade_fund_txid === undefined && record.arkade_claim_txid === undefined,
      'it names transactions although nothing was paid',
    )
  );
}

function wrongAmounts(record: ArkadeRecord, asked: Asked): Objection {
  const source = amountIn(record.source_amount);
  const target = amountIn(record.target_amount);
  if (source === null || target === null) return 'its amounts are more than there is';
  const cost = source - target;
  return (
    objection(source <= asked.sourceAmount, `it asks for ${source} sats, at most ${asked.sourceAmount} were agreed`) ??
    objection(target >= asked.targetAmount, `it pays out ${target} sats, at least ${asked.targetAmount} were agreed`) ??
    objection(
      cost === BigInt(record.fee_sats) + BigInt(record.network_fee_sats),
      `its fees of ${record.fee_sats} and ${record.network_fee_sats} sats are not the ${cost} between its two amounts`,
    ) ??
    objection(cost * 10_000n <= source * mostCostBps, `its fees take ${cost} of ${source} sats, more than a quarter`)
  );
}

function wrongDelays(record: ArkadeRecord, asked: Asked): Objection {
  const claim = record.unilateral_claim_delay;
  const refund = record.unilateral_refund_delay;
  const alone = record.unilateral_refund_without_receiver_delay;
  for (const delay of [claim, refund, alone]) {
    if (delay % delayUnit !== 0 || delay < delayUnit || delay > longestDelay)
      return `its delay of ${delay} seconds is not a multiple of ${delayUnit} that a script can say`;
    if (delay < asked.operator.exitDelay)
      return `its delay of ${delay} seconds is shorter than the operator's exit delay of ${asked.operator.exitDelay}`;
  }
  return objection(
    claim <= refund && refund <= alone,
    `its delays of ${claim}, ${refund} and ${alone} seconds are not in their order`,
  );
}

/** The VHTLC of the record with our half of it taken from ourselves; its address must be the record's. */
function deriveVhtlc(
  record: ArkadeRecord,
  asked: Asked,
  keys: { sender: XOnly; receiver: XOnly },
): { vhtlc: VhtlcTerms; script: Uint8Array; address: string } | Refusal {
  if (record.arkade_htlc_script_version !== 1)
    return distrust(`its script has version ${record.arkade_htlc_script_version}, we asked for 1`);
  if (!sameBytes(keyIn(record.arkade_server_pk), asked.operator.signer))
    return distrust('it names another Arkade operator than ours');
  if (!isXOnly(keys.sender) || !isXOnly(keys.receiver)) return distrust('its key is not a point of the curve');
  const delays = wrongDelays(record, asked);
  if (delays !== null) return distrust(delays);
  if (record.vhtlc_refund_locktime < 500_000_000) return distrust('its refund locktime is a height, not a time');
  const vhtlc: VhtlcTerms = {
    ...keys,
    operator: asked.operator.signer,
    hash: hash160OfSha256(asked.hash),
    refundLocktime: unix(record.vhtlc_refund_locktime),
    claimDelay: seconds(record.unilateral_claim_delay),
    refundDelay: seconds(record.unilateral_refund_delay),
    refundWithoutReceiverDelay: seconds(record.unilateral_refund_without_receiver_delay),
  };
  const { pkScript, outputKey } = vhtlcScript(vhtlc);
  const address = encodeArkadeAddress({
    prefix: arkadePrefix(asked.network),
    operator: asked.operator.signer,
    outputKey,
  });
  if (address !== record.arkade_vhtlc_address)
    return distrust(`its VHTLC address is ${record.arkade_vhtlc_address}, its terms make ${address}`);
  return { vhtlc, script: pkScript, address };
}

function wrongHash(record: ArkadeRecord, asked: Asked): Objection {
  return objection(record.hash_lock.toLowerCase() === `0x${toHex(asked.hash)}`, 'its hash is not ours');
}

function dealOf(
  record: ArkadeRecord,
  leg: { vhtlc: VhtlcTerms; script: Uint8Array; address: string },
  bolt11: string,
): Deal {
  return {
    swapId: record.id,
    ...leg,
    sourceAmount: sats(BigInt(record.source_amount)),
    targetAmount: sats(BigInt(record.target_amount)),
    bolt11,
    invoiceExpiresAt: unix(record.invoice_expires_at),
  };
}

/** What is wrong with the hold invoice that we would pay. */
function wrongHoldInvoice(
  invoice: Bolt11,
  record: LightningArkadeRecord,
  asked: TakeLightningArkadeTerms,
  now: Clocks,
): Objection {
  const amount = invoiceSats(invoice);
  if (isRefusal(amount)) return 'its invoice does not ask for a whole number of sats';
  const mostBlocks = Math.floor(asked.policy.longestLeg / asked.policy.fastBlock);
  return (
    objection(
      invoice.network === asked.network,
      `its invoice is for the network ${invoice.network}, we are on ${asked.network}`,
    ) ??
    objection(sameBytes(invoice.hash, asked.hash), 'its invoice has another payment hash than ours') ??
    objection(
      amount.toString() === record.source_amount,
      `its invoice asks for ${amount} sats, its source amount is ${record.source_amount}`,
    ) ??
    objection(
      invoice.description === asked.description && invoice.descriptionHash === null,
      'its invoice carries another text than ours',
    ) ??
    objection(
      invoice.expiresAt === record.invoice_expires_at,
      `its invoice expires at ${invoice.expiresAt}, it says ${record.invoice_expires_at}`,
    ) ??
    objection(
      invoice.expiresAt >= now.wall + leastTimeToPay,
      `its invoice expires at ${invoice.expiresAt}, too soon to be paid`,
    ) ??
    objection(
      invoice.finalCltv <= mostBlocks,
      `its invoice could hold a payment for ${invoice.finalCltv} blocks, at most ${mostBlocks} are accepted`,
    )
  );
}

/**
 * The service's leg must leave us time to claim however late the invoice is paid, and must not lie absurdly far away.
 * How long the invoice lives is told by the wall, when the VHTLC can be taken back by the chain.
 */
function wrongClaimTime(record: LightningArkadeRecord, asked: TakeLightningArkadeTerms, now: Clocks): Objection {
  const { policy } = asked;
  if (!isRead(now)) return 'the Bitcoin clock, by which its locktime is judged, cannot be read now';
  const locktime = record.vhtlc_refund_locktime;
  const paidBy = latestByChain(now, policy) + Math.max(0, record.invoice_expires_at - now.wall);
  return (
    objection(
      locktime >= paidBy + policy.leastClaimTime,
      `its VHTLC can be taken back at ${locktime}, less than ${policy.leastClaimTime} seconds after its invoice may be paid`,
    ) ??
    objection(
      locktime <= laterOf(now) + policy.longestLeg,
      `its VHTLC can be taken back at ${locktime} only, the payment could be held for too long`,
    ) ??
    // Otherwise the sender could leave by its own leaf before the receiver can.
    objection(
      record.unilateral_claim_delay < record.unilateral_refund_without_receiver_delay,
      'its sender could leave the VHTLC as soon as we can',
    )
  );
}

/** lightning-arkade: what we would pay for, or the sentence for which nobody is shown the invoice. */
export function verifyLightningArkade(
  given: unknown,
  asked: TakeLightningArkadeTerms,
  now: Clocks,
  decode: DecodeInvoice,
): Deal | Refusal {
  const record = read(lightningArkadeRecord, given);
  if (isRefusal(record)) return record;
  const wrong =
    wrongFrame(record, asked, { source: bitcoinOn('Lightning'), target: bitcoinOn('Arkade') }) ??
    wrongAmounts(record, asked) ??
    wrongHash(record, asked) ??
    objection(record.receiver_pk === toHex(asked.key), 'its claim key is not ours') ??
    objection(record.target_arkade_address === asked.targetAddress, 'its target address is not ours') ??
    wrongClaimTime(record, asked, now);
  if (wrong !== null) return distrust(wrong);
  const leg = deriveVhtlc(record, asked, { sender: keyIn(record.sender_pk), receiver: keyIn(toHex(asked.key)) });
  if (isRefusal(leg)) return leg;
  const invoice = decode(record.bolt11_invoice);
  if (isRefusal(invoice)) return distrust('its invoice cannot be read');
  const unpayable = wrongHoldInvoice(invoice, record, asked, now);
  return unpayable === null ? dealOf(record, leg, invoice.text) : distrust(unpayable);
}

/** arkade-lightning: where we would send coins, or the sentence for which nobody is shown the address. */
export function verifyArkadeLightning(given: unknown, asked: TakeArkadeLightningTerms, now: Clocks): Deal | Refusal {
  const record = read(arkadeLightningRecord, given);
  if (isRefusal(record)) return record;
  const { policy } = asked;
  const locktime = record.vhtlc_refund_locktime;
  const wrong =
    wrongFrame(record, asked, { source: bitcoinOn('Arkade'), target: bitcoinOn('Lightning') }) ??
    wrongAmounts(record, asked) ??
    wrongHash(record, asked) ??
    objection(record.sender_pk === toHex(asked.key), 'its refund key is not ours') ??
    objection(
      record.client_lightning_invoice.toLowerCase() === asked.bolt11,
      'the invoice that it would pay is not ours',
    ) ??
    objection(
      record.target_amount === asked.targetAmount.toString(),
      `it would pay ${record.target_amount} sats, the invoice asks for ${asked.targetAmount}`,
    ) ??
    objection(
      record.invoice_expires_at === asked.invoiceExpiresAt,
      `it says that the invoice expires at ${record.invoice_expires_at}, it expires at ${asked.invoiceExpiresAt}`,
    ) ??
    objection(
      asked.invoiceExpiresAt >= now.wall + leastTimeToPay,
      `the invoice expires at ${asked.invoiceExpiresAt}, too soon to be paid`,
    ) ??
    objection(!locktimePassed(unix(locktime), now), `its refund locktime ${locktime} has passed`) ??
    objection(
      locktime <= laterOf(now) + policy.longestLeg,
      `its refund opens at ${locktime} only, more than ${policy.longestLeg} seconds from now`,
    );
  if (wrong !== null) return distrust(wrong);
  const leg = deriveVhtlc(record, asked, { sender: keyIn(toHex(asked.key)), receiver: keyIn(record.receiver_pk) });
  return isRefusal(leg) ? leg : dealOf(record, leg, asked.bolt11);
}
