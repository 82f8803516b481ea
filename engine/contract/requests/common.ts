import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { hasRightCase } from '../../domain/evm-address.ts';
import type { Sha256 } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import { field, optional, wrong, type Field } from '../field.ts';
import { invoiceAmount } from '../invoice.ts';
import { extraFeesField, patterned, text, wrongCase } from '../scalars.ts';

/** What every create carries (facts/clients.md 1). */
export interface CreateCommon {
  /** Derived by the wallet; `/swap/recover` finds its swaps by it. */
  readonly userId: string;
  /** Basis points on top of the fee; above 0 only with a developer key that allows it. */
  readonly extraFeesBps: number;
  readonly referralCode: string | null;
  /** Of a create that came by another door of this node; no request of this contract has it. */
  readonly door?: DoorTerms;
  /** Whose request it is, by its address; left out, as null, for the owner's. No request of this contract says it. */
  readonly client?: string | null;
}

/** What another door of this node says of a swap that it opens. */
export interface DoorTerms {
  /** As that door counts it, and told its client. */
  readonly price: { readonly source: Sats; readonly target: Sats; readonly fee: Sats; readonly networkFee: Sats };
  /** Whether a VHTLC is of the strict form: its clients may know one form alone. */
  readonly vhtlc: 'strict' | 'loose';
  /**
   * SHA-256 of the secret, where the request itself does not say it: of an invoice that is named once the swap is open,
   * or never, and of a lock whose request has its HASH160.
   */
  readonly hash?: Sha256;
  /** The least that its client can owe, in sats, where `price` is agreed to later. */
  readonly least?: Sats;
  /** SHA-256 of what the hold invoice is for, in place of a text in it; left out for a text. */
  readonly descriptionHash?: Sha256;
  /** Called in the transaction that saves the swap: what the door keeps of it is saved with it, or neither. */
  readonly opened: (id: string) => void;
}

/**
 * Which of the two amounts the client fixed. The other one follows from the fees (DECISIONS.md, "Fees come from the
 * pinned side").
 */
export type Pinned<Source, Target> =
  { readonly pinned: 'source'; readonly amount: Source } | { readonly pinned: 'target'; readonly amount: Target };

export type PinnedSats = Pinned<Sats, Sats>;

/**
 * Where a Lightning payout goes. An invoice says itself how much it asks for; an address or LNURL is resolved to an
 * invoice over the payout when the swap is created.
 */
export type Payee<Source> =
  | { readonly is: 'invoice'; readonly bolt11: string; readonly amount: Sats }
  | { readonly is: 'address' | 'lnurl'; readonly text: string; readonly amount: Pinned<Source, Sats> };

/** USDC that arrives from, or goes on to, another chain. `token` is text: an address there need not be an EVM one. */
export interface Bridge {
  readonly chain: string;
  readonly token: string | null;
}

export const commonFields = {
  user_id: text('user_id', 'an identifier derived by the wallet, used for recovery', 200),
  extra_fees: optional(extraFeesField('extra_fees')),
  referral_code: optional(text('referral_code', 'a referral code, none where it is empty', 100, 0)),
};

export interface CommonWire {
  readonly user_id: string;
  readonly extra_fees?: number | undefined;
  readonly referral_code?: string | undefined;
}

export function common(wire: CommonWire): CreateCommon {
  return { userId: wire.user_id, extraFeesBps: wire.extra_fees ?? 0, referralCode: wire.referral_code || null };
}

/** Exactly one of two exclusive amounts; both or neither is a 400 (facts/clients.md 6). */
export function pin<Source, Target>(
  names: readonly [string, string],
  source: Source | undefined,
  target: Target | undefined,
): Pinned<Source, Target> | Refusal {
  if (source !== undefined && target !== undefined)
    return refuse('invalid', `${names[0]} and ${names[1]} exclude each other: send only one of them.`);
  if (source !== undefined) return { pinned: 'source', amount: source };
  if (target !== undefined) return { pinned: 'target', amount: target };
  return refuse('invalid', `The amount is missing: send exactly one of ${names[0]} and ${names[1]}.`);
}

const bridgeChain = (name: string, what: string) =>
  patterned({ name, hint: `${what}, by its name, for example Base` }, what, /^[A-Za-z0-9 ._-]{1,40}$/);

/** An address on a foreign chain: `0x` and 40 hex digits, or base58. */
const foreign = /^(0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/;

/** Of an EVM chain, or of one with keys in base58. */
export function foreignAddress(name: string, what: string): Field<string, string> {
  const info = { name, hint: `${what}: 0x and 40 hex digits, or a base58 key of 32 to 44 characters` };
  return field(info, { type: 'string', description: what, pattern: foreign.source }, (given) => {
    if (typeof given !== 'string' || !foreign.test(given)) return wrong(info, given);
    return given.startsWith('0x') && !hasRightCase(given, 'any') ? wrong(info, given, wrongCase('any')) : given;
  });
}

export const bridgeSourceFields = {
  bridge_source_chain: optional(bridgeChain('bridge_source_chain', 'the chain the USDC comes from')),
  bridge_source_token_address: optional(foreignAddress('bridge_source_token_address', 'the USDC on that chain')),
};

export const bridgeTargetFields = {
  bridge_target_chain: optional(bridgeChain('bridge_target_chain', 'the chain the USDC goes on to')),
  bridge_target_token_address: optional(foreignAddress('bridge_target_token_address', 'the USDC on that chain')),
};

/** A token of a bridge means nothing without its chain. */
export function bridge(
  side: 'source' | 'target',
  chain: string | undefined,
  token: string | undefined,
): Bridge | null | Refusal {
  if (chain !== undefined) return { chain, token: token ?? null };
  if (token === undefined) return null;
  return refuse('invalid', `bridge_${side}_token_address needs bridge_${side}_chain: send both or neither.`);
}

export const payeeFields = {
  lightning_invoice: optional(
    patterned(
      { name: 'lightning_invoice', hint: 'the BOLT11 text as the wallet shows it' },
      'BOLT11 invoice; must carry an amount',
      /^(lightning:)?ln[a-z0-9]{20,8000}$/i,
      (given) => given.toLowerCase().replace(/^lightning:/, ''),
    ),
  ),
  lightning_address: optional(
    patterned(
      { name: 'lightning_address', hint: 'it as user@domain' },
      'user@domain, resolved to an invoice over the payout',
      /^[a-z0-9._+-]{1,64}@[a-z0-9.-]{1,253}(:\d{1,5})?$/i,
      (given) => given.toLowerCase(),
    ),
  ),
  lnurl: optional(
    patterned(
      { name: 'lnurl', hint: 'an LNURL-pay text that starts with lnurl1 or lnurlp://' },
      'LNURL-pay text, resolved to an invoice over the payout',
      /^(lightning:)?(lnurl1[02-9ac-hj-np-z]{10,2000}|lnurlp:\/\/[!-~]{4,1900})$/i,
      (given) => {
        const text = given.replace(/^lightning:/i, '');
        return /^lnurl1/i.test(text) ? text.toLowerCase() : text;
      },
    ),
  ),
};

interface PayeeWire<Source> {
  readonly lightning_invoice?: string | undefined;
  readonly lightning_address?: string | undefined;
  readonly lnurl?: string | undefined;
  readonly target_amount_sats?: Sats | undefined;
  readonly source?: Source | undefined;
}

/**
 * One destination, with the amounts that it allows: POST /swap/evm/lightning and /swap/arkade/lightning
 * (facts/clients.md 6).
 */
export function payee<Source>(sourceName: string, wire: PayeeWire<Source>): Payee<Source> | Refusal {
  const { lightning_invoice: invoice, lightning_address: address, lnurl, source, target_amount_sats: target } = wire;
  const given = [invoice, address, lnurl].filter((one) => one !== undefined);
  if (given.length > 1)
    return refuse(
      'invalid',
      'lightning_address, lightning_invoice and lnurl exclude each other: send only one of them.',
    );
  if (invoice !== undefined) return invoicePayee(sourceName, invoice, source, target);
  const destination = address ?? lnurl;
  if (destination === undefined)
    return refuse('invalid', 'The destination is missing: send one of lightning_invoice, lightning_address and lnurl.');
  const amount = pin([sourceName, 'target_amount_sats'], source, target);
  if (isRefusal(amount)) return amount;
  return { is: address !== undefined ? 'address' : 'lnurl', text: destination, amount };
}

function invoicePayee<Source>(
  sourceName: string,
  bolt11: string,
  source: Source | undefined,
  target: Sats | undefined,
): Payee<Source> | Refusal {
  if (source !== undefined)
    return refuse(
      'invalid',
      `${sourceName} cannot be combined with lightning_invoice, which fixes the payout: leave ${sourceName} out.`,
    );
  const amount = invoiceAmount('lightning_invoice', bolt11);
  if (isRefusal(amount)) return amount;
  if (target !== undefined && target !== amount)
    return refuse(
      'invalid',
      `target_amount_sats is ${target} but the invoice asks for ${amount} sats: send ${amount} or leave ` +
        'target_amount_sats out.',
    );
  return { is: 'invoice', bolt11, amount };
}

export const arkadeAddress = (name: string) =>
  patterned(
    { name, hint: 'an Arkade address, which starts with ark1 or tark1' },
    'Arkade address of the recipient',
    /^(t?ark1[02-9ac-hj-np-z]{20,200}|T?ARK1[02-9AC-HJ-NP-Z]{20,200})$/,
    (given) => given.toLowerCase(),
  );

export const bitcoinAddress = (name: string) =>
  patterned({ name, hint: 'a Bitcoin address' }, 'Bitcoin address of the recipient', /^[A-Za-z0-9]{14,100}$/);
