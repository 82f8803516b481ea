import { z } from 'zod';
import type { Chain } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { tokenAmount, type TokenAmount } from '../../domain/money.ts';
import { optional, request } from '../field.ts';
import { chainField, extraFeesField, oneOf, patterned, satsField, text, unitsField } from '../scalars.ts';
import {
  bridge,
  bridgeSourceFields,
  bridgeTargetFields,
  payee,
  payeeFields,
  pin,
  type Bridge,
  type Payee,
  type Pinned,
} from './common.ts';

/** A token as queries name it: the network, and `btc` or a contract's address in lower case. */
export interface TokenRef {
  readonly chain: Chain;
  readonly token: string;
}

/** GET /tokens. Half a pair filters nothing (facts/clients.md 35). */
export interface TokenFilter {
  readonly source: TokenRef | null;
  readonly target: TokenRef | null;
}

const tokenId = (name: string) =>
  patterned(
    { name, hint: 'btc, or the address of a token (0x and 40 hex digits)' },
    'btc, or the address of a token',
    /^(btc|0x[0-9a-f]{40})$/i,
    (given) => given.toLowerCase(),
  );

export const tokensQuery = withoutHalves(
  request(
    {
      source_chain: optional(chainField('source_chain', 'with source_token: only tokens it can be swapped to')),
      source_token: optional(tokenId('source_token')),
      target_chain: optional(chainField('target_chain', 'with target_token: only tokens that can be swapped to it')),
      target_token: optional(tokenId('target_token')),
    },
    (wire): TokenFilter => ({
      source: pair(wire.source_chain, wire.source_token),
      target: pair(wire.target_chain, wire.target_token),
    }),
  ),
);

/** Half a pair is left out before it is read: a value in it that nobody knows refuses nothing either. */
function withoutHalves<Schema extends z.ZodType>(schema: Schema): Schema {
  return z.preprocess((given) => {
    const whole = { ...(given as Record<string, unknown>) };
    for (const side of ['source', 'target']) {
      const pair = [`${side}_chain`, `${side}_token`];
      if (pair.some((name) => (whole[name] ?? null) === null)) for (const name of pair) delete whole[name];
    }
    return whole;
  }, schema) as unknown as Schema;
}

function pair(chain: Chain | undefined, token: string | undefined): TokenRef | null {
  return chain === undefined || token === undefined ? null : { chain, token };
}

/** GET /quote. Amounts are in the smallest units of their own token, satoshis for bitcoin. */
export interface QuoteRequest {
  readonly source: TokenRef;
  readonly target: TokenRef;
  readonly amount: Pinned<TokenAmount, TokenAmount>;
  readonly bridgeSource: Bridge | null;
  readonly bridgeTarget: (Bridge & { readonly recipientSetup: boolean }) | null;
  readonly referralCode: string | null;
  readonly extraFeesBps: number;
}

export const quoteQuery = request(
  {
    source_chain: chainField('source_chain', 'network of the source token'),
    source_token: tokenId('source_token'),
    target_chain: chainField('target_chain', 'network of the target token'),
    target_token: tokenId('target_token'),
    source_amount: optional(unitsField('source_amount', 'what the user sends')),
    target_amount: optional(unitsField('target_amount', 'what the user receives')),
    bridge_source_chain: bridgeSourceFields.bridge_source_chain,
    bridge_source_token_address: bridgeSourceFields.bridge_source_token_address,
    bridge_target_chain: bridgeTargetFields.bridge_target_chain,
    bridge_recipient_setup: optional(
      oneOf('bridge_recipient_setup', "whether the recipient's token account exists", ['true', 'false']),
    ),
    ref: optional(text('ref', 'a referral code, none where it is empty', 100, 0)),
    extra_fees: optional(extraFeesField('extra_fees')),
  },
  (wire): QuoteRequest | Refusal => {
    const amount = pin(['source_amount', 'target_amount'], wire.source_amount, wire.target_amount);
    if (isRefusal(amount)) return amount;
    const from = bridge('source', wire.bridge_source_chain, wire.bridge_source_token_address);
    if (isRefusal(from)) return from;
    return {
      source: { chain: wire.source_chain, token: wire.source_token },
      target: { chain: wire.target_chain, token: wire.target_token },
      amount,
      bridgeSource: from,
      bridgeTarget:
        wire.bridge_target_chain === undefined
          ? null
          : { chain: wire.bridge_target_chain, token: null, recipientSetup: wire.bridge_recipient_setup === 'true' },
      referralCode: wire.ref || null,
      extraFeesBps: wire.extra_fees ?? 0,
    };
  },
);

/** GET /referral-fee. */
export interface ReferralFeeRequest {
  readonly referralCode: string | null;
  readonly extraFeesBps: number;
}

export const referralFeeQuery = request(
  {
    ref: optional(text('ref', 'a referral code, none where it is empty', 100, 0)),
    extra_fees: optional(extraFeesField('extra_fees')),
  },
  (wire): ReferralFeeRequest => ({ referralCode: wire.ref || null, extraFeesBps: wire.extra_fees ?? 0 }),
);

/** GET /quote/lightning-send: what a payout over Lightning costs. */
export interface LightningSendRequest {
  readonly sourceChain: Chain;
  /** Null for bitcoin on Arkade. */
  readonly sourceToken: string | null;
  /** Exactly one destination. Its source amount is in smallest units of its token, satoshis for bitcoin. */
  readonly payee: Payee<TokenAmount>;
  /** The source amount came as `source_amount_sats`: what the lock is to be worth, whatever the token. */
  readonly sourceInSats: boolean;
  readonly referralCode: string | null;
  readonly extraFeesBps: number;
}

export const lightningSendQuery = request(
  {
    source_chain: optional(chainField('source_chain', 'network of the source token, Arkade by default')),
    source_token: optional(tokenId('source_token')),
    source_amount: optional(unitsField('source_amount', 'what the user sends')),
    source_amount_sats: optional(
      satsField('source_amount_sats', 'what the user sends (deprecated: use source_amount)'),
    ),
    target_amount_sats: optional(satsField('target_amount_sats', 'what the recipient receives')),
    ...payeeFields,
    ref: optional(text('ref', 'a referral code, none where it is empty', 100, 0)),
    extra_fees: optional(extraFeesField('extra_fees')),
  },
  (wire): LightningSendRequest | Refusal => {
    const { source_amount: units, source_amount_sats: inSats } = wire;
    if (units !== undefined && inSats !== undefined)
      return refuse('invalid', 'source_amount and source_amount_sats exclude each other: send only source_amount.');
    const source = units ?? (inSats === undefined ? undefined : tokenAmount(inSats));
    const to = payee('source_amount', { ...wire, source });
    if (isRefusal(to)) return to;
    return {
      payee: to,
      sourceInSats: inSats !== undefined,
      sourceChain: wire.source_chain ?? ('Arkade' as const),
      sourceToken: wire.source_token ?? null,
      referralCode: wire.ref || null,
      extraFeesBps: wire.extra_fees ?? 0,
    };
  },
);
