import { z } from 'zod';
import { refuse, type Refusal } from '../domain/errors.ts';
import type { EvmAddress } from '../domain/evm.ts';
import type { Sats } from '../domain/money.ts';
import { takerShows, type TakerShow } from '../domain/taker.ts';
import { takerDirections, takerInvoices, type TakerDirection } from '../domain/chain.ts';
import { optional, request } from './field.ts';
import { cursor } from './owner/fields.ts';
import { payeeFields } from './requests/common.ts';
import {
  evmAddressField,
  evmChainIdField,
  flagField,
  integerField,
  oneOf,
  patterned,
  satsField,
  text,
} from './scalars.ts';
import { words } from './wire.ts';

/** Requests and replies of the owner's own swaps, in which this node is the client. */

/** POST /owner/taker/swaps. */
export interface TakerSwapRequest {
  readonly direction: TakerDirection;
  /** What is sent over Lightning, what the invoice asks for, or what arrives on Arkade for bitcoin. */
  readonly amount: Sats;
  /** What the provider is to pay; only from Arkade. */
  readonly invoice: string | null;
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
}

const loopback = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?(\/|$)/;

const providerUrl = patterned(
  { name: 'provider_url', hint: 'the https address of a provider, or leave it out to swap with this node' },
  'Base URL of the provider; this node when left out',
  /^https?:\/\/[^\s/?#@]{1,253}(\/[^\s?#]{0,200})?$/,
  (given) => given.replace(/\/+$/, ''),
);

export const takerSwapBody = request(
  {
    direction: oneOf('direction', 'which way', takerDirections),
    amount_sats: satsField(
      'amount_sats',
      'what is sent over Lightning, what the invoice asks for, or what arrives on Arkade',
    ),
    invoice: payeeFields.lightning_invoice,
    evm_chain_id: optional(evmChainIdField('evm_chain_id')),
    token_address: optional(
      evmAddressField('token_address', 'the token on the EVM chain; what swaps lock there when left out'),
    ),
    target_address: optional(
      evmAddressField('target_address', 'where the tokens shall go, for a swap to an EVM chain'),
    ),
    gasless: optional(
      flagField('gasless', 'whether the provider sends the transactions on the EVM chain; true by default'),
    ),
    provider_url: optional(providerUrl),
  },
  (wire): TakerSwapRequest | Refusal => {
    const provider = wire.provider_url ?? '';
    if (provider.startsWith('http:') && !loopback.test(provider))
      return refuse('invalid', 'provider_url is not encrypted: send an https address, or an http one of this machine.');
    if (takerInvoices[wire.direction] === 'owner' && wire.invoice === undefined)
      return refuse('invalid', 'invoice is required for a swap to Lightning: send the invoice that is to be paid.');
    if (takerInvoices[wire.direction] !== 'owner' && wire.invoice !== undefined)
      return refuse('invalid', 'invoice is only for a swap to Lightning: leave it out.');
    const evm =
      wire.evm_chain_id === undefined
        ? {}
        : {
            evm: {
              chainId: Number(wire.evm_chain_id),
              token: wire.token_address ?? null,
              destination: wire.target_address ?? null,
              gasless: wire.gasless ?? true,
            },
          };
    return { direction: wire.direction, amount: wire.amount_sats, invoice: wire.invoice ?? null, ...evm, provider };
  },
);

export const takerSwapCreated = z.object({ id: words('Id of the swap at this node') });
export type TakerSwapCreated = z.infer<typeof takerSwapCreated>;

/** GET /owner/taker/swaps. */
export interface TakerSwapsQuery {
  /** Part of an address, an amount, a transaction or an id. */
  readonly text: string | null;
  readonly show: TakerShow;
  readonly network: string | null;
  readonly cursor: string | null;
  readonly limit: number;
}

export const takerSwapsQuery = request(
  {
    q: optional(text('q', 'an address, amount, transaction or swap id, or how it begins', 200)),
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
