import { z } from 'zod';
import { takerDirections, type TakerDirection } from '../domain/chain.ts';
import type { EvmAddress } from '../domain/evm.ts';
import type { TokenAmount } from '../domain/money.ts';
import { costParts, noOfferCodes, providerFaults, takerCases } from '../domain/taker.ts';
import { optional, request } from './field.ts';
import { evmAddressField, evmChainIdField, oneOf, unitsField } from './scalars.ts';
import { providerUrlField } from './taker.ts';
import { amount, count, sats, words } from './wire.ts';

/* What every provider would do for an amount, before anything is begun. */

/** POST /owner/taker/quotes. */
export interface TakerQuotesRequest {
  readonly direction: TakerDirection;
  readonly side: 'source' | 'target';
  /** In smallest units of that side. */
  readonly amount: TokenAmount;
  /** Null where no side is on an EVM chain. */
  readonly chainId: number | null;
  /** Left out for what swaps lock on that chain. */
  readonly token?: EvmAddress;
}

export const takerQuotesBody = request(
  {
    direction: oneOf('direction', 'which way', takerDirections),
    side: oneOf('side', 'whether the amount is what is given or what arrives', ['source', 'target']),
    amount: unitsField('amount', 'how much of that side'),
    evm_chain_id: optional(evmChainIdField('evm_chain_id')),
    token_address: optional(
      evmAddressField('token_address', 'the token on the EVM chain; what swaps lock there when left out'),
    ),
  },
  ({ evm_chain_id, token_address, ...wire }): TakerQuotesRequest => ({
    ...wire,
    chainId: evm_chain_id === undefined ? null : Number(evm_chain_id),
    ...(token_address === undefined ? {} : { token: token_address }),
  }),
);

const takerQuote = z
  .object({
    provider_url: words('Base URL of the provider; empty for this node'),
    why: z.enum(noOfferCodes).nullable().meta({ description: 'Why it has no offer; null when it has one' }),
    detail: words('That in the words of the provider').nullable(),
    source_amount: amount('What has to be given, fees included, in smallest units').nullable(),
    target_amount: amount('What arrives, in smallest units').nullable(),
    costs: z
      .array(z.object({ part: z.enum(costParts).meta({ description: 'For what' }), sats: sats('How much') }))
      .meta({ description: 'The difference by its parts; empty where they do not add up to it' }),
    min_sats: sats('Least that may arrive').nullable(),
    max_sats: sats('Most that may arrive now').nullable(),
    usual_seconds: count(
      'From payment to arrival, as own swaps of this way with this provider took; null with fewer than three',
    ).nullable(),
    worst_seconds: count(
      'Until what was paid is back with the help of nobody: a record that asks for longer is refused; null where ' +
        'the wallet that pays decides on it',
    ).nullable(),
    pay_seconds: count('How long it can surely be paid once it is made; null where an invoice says so').nullable(),
    cases: z
      .array(
        z
          .object({
            case: z.enum(takerCases).meta({ description: 'What happens' }),
            seconds: count(
              'How long it takes at most, in the usual case how long it takes; null where nobody here decides on it',
            ).nullable(),
            most_sats: sats('What it costs at most; null where nobody can say that in sats').nullable(),
          })
          .meta({ id: 'TakerCase', description: 'One thing that can become of it' }),
      )
      .meta({ description: 'What can become of it, the worst last; empty without an offer' }),
  })
  .meta({ id: 'TakerQuote', description: 'What one provider would do' });
export type TakerQuote = z.infer<typeof takerQuote>;

export const takerQuotes = z.object({
  quotes: z.array(takerQuote).meta({ description: 'The best first; those without an offer last' }),
});
export type TakerQuotes = z.infer<typeof takerQuotes>;

export const providerCheckBody = request({ provider_url: providerUrlField }, ({ provider_url }) => provider_url);

/** POST /owner/taker/providers/check. */
export const providerCheck = z.object({
  fault: z
    .enum(providerFaults)
    .nullable()
    .meta({ description: 'Why it is no provider to swap with; null when it answers as one' }),
});
export type ProviderCheck = z.infer<typeof providerCheck>;
