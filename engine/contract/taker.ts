import { z } from 'zod';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import type { EvmAddress } from '../domain/evm.ts';
import type { Sats, TokenAmount } from '../domain/money.ts';
import { takerShows, type TakerShow } from '../domain/taker.ts';
import { takerDirections, takerInvoices, type TakerDirection } from '../domain/chain.ts';
import { field, leftOutOr, optional, request, wrong } from './field.ts';
import { cursor } from './owner/fields.ts';
import { payeeFields, type Payee } from './requests/common.ts';
import {
  chainAddressField,
  evmChainIdField,
  flagField,
  integerField,
  oneOf,
  patterned,
  satsField,
  text,
  unitsField,
  type AddressByChain,
  type EvmChainId,
} from './scalars.ts';
import { sats, words } from './wire.ts';

/** Requests and replies of the owner's own swaps, in which this node is the client. */

/** Who gives out invoices for any amount within limits: LNURL-pay, or a Lightning address. */
export type Place = Pick<Payee<unknown> & { readonly is: 'address' | 'lnurl' }, 'is' | 'text'>;

/** POST /owner/taker/swaps. */
export interface TakerSwapRequest {
  readonly direction: TakerDirection;
  /** What is sent over Lightning, what the invoice asks for, or what arrives on Arkade for bitcoin. */
  readonly amount: Sats;
  /** What the provider is to pay; only from Arkade. */
  readonly invoice: string | null;
  /** A place that gives the invoice, instead of one; asked by this node, for exactly the amount. */
  readonly payee?: Place;
  /** The leg on an EVM chain, where there is one. */
  readonly evm?: {
    readonly chainId: number;
    /** Null for what swaps lock on that chain. */
    readonly token: EvmAddress | null;
    /** Where the tokens go; null where none come out. */
    readonly destination: EvmAddress | null;
    /** The provider sends the transactions; else our own account does. */
    readonly gasless: boolean;
  };
  /** Base URL of the provider, empty for this very node. */
  readonly provider: string;
  /** What a quote said, where one was looked at: the terms that are agreed are not worse. In smallest units. */
  readonly mostSource?: TokenAmount;
  readonly leastTarget?: TokenAmount;
}

const loopback = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?(\/|$)/;

const provider = {
  name: 'provider_url',
  hint: 'the https address of a provider, or leave it out to swap with this node',
};
const providerAddress = /^https?:\/\/[^\s/?#@]{1,253}(\/[^\s?#]{0,200})?$/;

const providerSchema = {
  type: 'string',
  description: 'Base URL of the provider',
  pattern: providerAddress.source,
} as const;

function readProviderUrl(given: unknown): string | Refusal {
  if (typeof given !== 'string' || !providerAddress.test(given)) return wrong(provider, given);
  const url = providerUrlOf(given);
  if (url.startsWith('https:') || loopback.test(url)) return url;
  return refuse('invalid', 'provider_url is not encrypted: send an https address, or an http one of this machine.');
}

/** The address of another node: encrypted, unless it is on this machine. */
export const providerUrlField = field<string, string>(provider, providerSchema, readProviderUrl);
/** The same where this node is meant without one, and never by null. */
const providerOrThisNode = leftOutOr<string, string>(provider, providerSchema, readProviderUrl);

/** One provider has one name: without slashes at the end. */
export function providerUrlOf(given: string): string {
  return given.replace(/\/+$/, '');
}

export const takerSwapBody = request(
  {
    direction: oneOf('direction', 'which way', takerDirections),
    amount_sats: satsField(
      'amount_sats',
      'what is sent over Lightning, what the invoice asks for, or what arrives on Arkade or the Bitcoin chain',
    ),
    invoice: payeeFields.lightning_invoice,
    lightning_address: payeeFields.lightning_address,
    lnurl: payeeFields.lnurl,
    evm_chain_id: optional(evmChainIdField('evm_chain_id')),
    token_address: optional(
      chainAddressField(
        'token_address',
        'the token on the EVM chain that is given or arrives; what swaps lock there when left out',
      ),
    ),
    target_address: optional(
      chainAddressField('target_address', 'where the tokens shall go, for a swap to an EVM chain'),
    ),
    gasless: optional(
      flagField('gasless', 'whether the provider sends the transactions on the EVM chain; true by default'),
    ),
    provider_url: providerOrThisNode,
    most_source_amount: optional(
      unitsField(
        'most_source_amount',
        'what may be given at most, as a quote said it: a swap that costs more is not begun',
      ),
    ),
    least_target_amount: optional(
      unitsField(
        'least_target_amount',
        'what has to arrive at least, as a quote said it: a swap that brings less is not begun',
      ),
    ),
  },
  (wire): TakerSwapRequest | Refusal => {
    const payee = placeOf(wire);
    const destinations = [wire.invoice, wire.lightning_address, wire.lnurl].filter((one) => one !== undefined).length;
    if (destinations > 1)
      return refuse('invalid', 'invoice, lightning_address and lnurl exclude each other: send only one of them.');
    if (takerInvoices[wire.direction] === 'owner' && destinations === 0)
      return refuse(
        'invalid',
        'invoice is required for a swap to Lightning: send the invoice that is to be paid, or a lightning_address ' +
          'or lnurl.',
      );
    if (takerInvoices[wire.direction] !== 'owner' && destinations > 0)
      return refuse(
        'invalid',
        'invoice, lightning_address and lnurl are only for a swap to Lightning: leave them out.',
      );
    const evm = evmPart(wire);
    if (isRefusal(evm)) return evm;
    return {
      direction: wire.direction,
      amount: wire.amount_sats,
      invoice: wire.invoice ?? null,
      ...(payee === null ? {} : { payee }),
      ...(evm === null ? {} : { evm }),
      provider: wire.provider_url ?? '',
      ...(wire.most_source_amount === undefined ? {} : { mostSource: wire.most_source_amount }),
      ...(wire.least_target_amount === undefined ? {} : { leastTarget: wire.least_target_amount }),
    };
  },
);

function evmPart(wire: {
  evm_chain_id?: EvmChainId | undefined;
  token_address?: AddressByChain | undefined;
  target_address?: AddressByChain | undefined;
  gasless?: boolean | undefined;
}): NonNullable<TakerSwapRequest['evm']> | null | Refusal {
  if (wire.evm_chain_id === undefined) return null;
  const token = wire.token_address?.(wire.evm_chain_id) ?? null;
  if (isRefusal(token)) return token;
  const destination = wire.target_address?.(wire.evm_chain_id) ?? null;
  if (isRefusal(destination)) return destination;
  return { chainId: Number(wire.evm_chain_id), token, destination, gasless: wire.gasless ?? true };
}

function placeOf(wire: { lightning_address?: string | undefined; lnurl?: string | undefined }): Place | null {
  if (wire.lightning_address !== undefined) return { is: 'address', text: wire.lightning_address };
  return wire.lnurl === undefined ? null : { is: 'lnurl', text: wire.lnurl };
}

/** POST /owner/taker/payees. */
export const takerPayeeBody = request(
  { lightning_address: payeeFields.lightning_address, lnurl: payeeFields.lnurl },
  (wire): Place | Refusal => {
    const place = placeOf(wire);
    if (place === null || (wire.lightning_address !== undefined && wire.lnurl !== undefined))
      return refuse('invalid', 'The place is missing: send one of lightning_address and lnurl.');
    return place;
  },
);

export const takerPayee = z.object({
  min_sats: sats('Least that it takes at once'),
  max_sats: sats('Most that it takes at once'),
});
export type TakerPayee = z.infer<typeof takerPayee>;

export const takerSwapCreated = z.object({ id: words('Id of the swap at this node') });
export type TakerSwapCreated = z.infer<typeof takerSwapCreated>;

/** POST /owner/taker/restore. */
export interface TakerRestoreRequest {
  /** A provider that is asked beside this node and those of the settings; null for none. */
  readonly provider: string | null;
}

export const takerRestoreBody = request({ provider_url: providerOrThisNode }, (wire): TakerRestoreRequest => ({
  provider: wire.provider_url ?? null,
}));

/** GET /owner/taker/swaps. */
export interface TakerSwapsQuery {
  /** Part of an address, an amount, a transaction, an id, or what the owner calls a swap. */
  readonly text: string | null;
  readonly show: TakerShow;
  readonly network: string | null;
  readonly cursor: string | null;
  readonly limit: number;
}

export const takerSwapsQuery = request(
  {
    q: optional(
      text('q', 'an address, amount, transaction or swap id, or how it begins; or part of a label or note', 200),
    ),
    show: optional(oneOf('show', 'only these', takerShows)),
    network: optional(
      patterned(
        { name: 'network', hint: 'arkade, lightning, bitcoin, or evm: and the number of a chain' },
        'Only swaps from or to this network',
        /^(arkade|lightning|bitcoin|evm:\d{1,10})$/,
      ),
    ),
    cursor,
    limit: optional(integerField('limit', 'how many', 1, 200)),
  },
  (wire): TakerSwapsQuery => ({
    text: wire.q ?? null,
    show: wire.show ?? 'all',
    network: wire.network ?? null,
    cursor: wire.cursor ?? null,
    limit: wire.limit ?? 50,
  }),
);
