import { z } from 'zod';
import { amount, chain, count, evmAddress, fraction, sats, tokenInfo, words } from '../wire.ts';

/** What can be swapped, and what it costs (facts/clients.md 32, 40 to 43). */

export const tokenList = z
  .object({ btc_tokens: z.array(tokenInfo), evm_tokens: z.array(tokenInfo) })
  .meta({ id: 'TokenList', description: 'Tokens that can be swapped now' });
export type TokenList = z.infer<typeof tokenList>;

export const quote = z.object({
  exchange_rate: words(
    'Bare market rate, fees not in it: whole EVM tokens for one bitcoin, 1 between two networks of bitcoin',
  ),
  network_fee: sats('Network fees'),
  gasless_network_fee: sats('Network fee of a gasless claim'),
  protocol_fee: sats('Protocol fee'),
  protocol_fee_rate: fraction('Protocol fee as a fraction'),
  min_amount: sats('Smallest amount'),
  max_amount: sats('Largest amount now'),
  source_amount: amount(
    'The source amount that was asked for, or the value of the target amount without fees, in smallest units',
  ),
  target_amount: amount(
    'The target amount that was asked for, or the value of the source amount without fees, in smallest units',
  ),
  net_source_amount: amount('What the user really sends, fees included'),
  net_target_amount: amount('What the user really receives, after fees'),
  bridge_fee: count('What the bridge takes, in the smallest units of USDC').optional(),
});
export type Quote = z.infer<typeof quote>;

export const lightningSendQuote = z.object({
  source_amount: amount('What the user locks, fees included, in smallest units'),
  source_amount_sats: sats('The same in satoshis'),
  target_amount_sats: sats('What the recipient receives'),
  protocol_fee_sats: sats('Protocol fee'),
  network_fee_sats: sats('Network fee'),
  protocol_fee_rate: fraction('Protocol fee as a fraction'),
  min_amount_sats: sats('Smallest payout'),
  max_amount_sats: sats('Largest payout now'),
  exchange_rate: words('Source tokens for one bitcoin that is locked, 1 for bitcoin'),
});
export type LightningSendQuote = z.infer<typeof lightningSendQuote>;

export const swapPairs = z.object({
  pairs: z.array(
    z.object({
      source: chain,
      target: chain,
      min_sats: sats('Smallest amount'),
      max_sats: sats('Largest amount now'),
      fee_percentage: fraction('Protocol fee as a fraction, 0.0025 is a quarter of one percent'),
      network_fee_sats: sats('Network fee'),
      btc_funding_confirmations: z
        .object({
          up_to_sats: sats('The most that the coin may hold for confirmations'),
          confirmations: count('Of a coin of at most up_to_sats'),
          confirmations_above: count('Of a larger one'),
        })
        .optional()
        .meta({ description: "From Bitcoin: confirmations of the user's coin before the service acts" }),
    }),
  ),
});
export type SwapPairs = z.infer<typeof swapPairs>;

export const networkFees = z.object({
  pairs: z.array(
    z.object({
      source: chain,
      target: chain,
      fees: z.object({ source_sats: sats('On the source'), target_sats: sats('On the target') }),
    }),
  ),
});
export type NetworkFees = z.infer<typeof networkFees>;

export const chainConfig = z.object({
  chains: z.array(
    z.object({
      chain,
      btc_pegged_token: z.object({
        address: evmAddress('Contract'),
        decimals: count('Decimal places'),
        symbol: words('Symbol'),
      }),
      btc_peg_rate: words('Pegged tokens for one bitcoin'),
    }),
  ),
});
export type ChainConfig = z.infer<typeof chainConfig>;

export const evmTokens = z.object({
  chains: z
    .record(
      z.string(),
      z.array(
        z.object({
          address: evmAddress('Contract'),
          symbol: words('Symbol'),
          name: words('Name'),
          decimals: count('Decimal places'),
          logo_uri: words('Picture').optional(),
        }),
      ),
    )
    .meta({ description: 'Tokens by the number of their chain' }),
});
export type EvmTokens = z.infer<typeof evmTokens>;

export const evmTokenChains = z.object({
  chains: z.array(z.object({ chain_id: count('Number of the chain'), name: words('Name') })),
});
export type EvmTokenChains = z.infer<typeof evmTokenChains>;

/** A token as requests name it. */
const dexTokenRef = z
  .object({
    kind: z.enum(['evm', 'solana']),
    chain_id: count('Number of the chain').optional(),
    address: words('Address'),
  })
  .meta({ id: 'DexToken', description: 'A token of a chain' });

const dexToken = z
  .object({
    raw: amount('In smallest units'),
    decimals: count('Decimal places'),
    symbol: words('Symbol').optional(),
  })
  .meta({ id: 'TokenAmount', description: 'An amount of a token' });

export const dexQuote = z.object({
  expected_amount_in: dexToken,
  estimated_amount_out: dexToken,
  estimated_settlement_seconds: count('How long it takes'),
  router: words('Where it is exchanged'),
  cache_ttl_seconds: count('How long the price may be shown'),
  bridge_fee: amount('What the bridge takes, in smallest units').optional(),
  bridge_rate: z
    .object({
      router: z.enum(['cctp', 'layerzero']),
      fee_token: dexTokenRef.optional(),
      proportional_fee_millionths: amount('Share that the bridge takes').optional(),
      flat: amount('What it takes beside').optional(),
      flat_with_setup: amount('The same with an account to be made').optional(),
    })
    .optional(),
});
export type DexQuoteReply = z.infer<typeof dexQuote>;

export const dexCalls = z.object({
  chain: words('Number of the chain'),
  payload: z.object({
    kind: z.literal('evm'),
    calls: z.array(
      z.object({ target: evmAddress('Contract'), data: words('Calldata'), value: words('Coins to send along') }),
    ),
  }),
  expected_amount_in: amount('What goes in; with the amount out fixed the most that may'),
  estimated_amount_out: amount('The least that comes out'),
  estimated_settlement_seconds: count('How long it takes'),
  router: words('Where it is exchanged'),
});
export type DexCalls = z.infer<typeof dexCalls>;

/** What a surcharge or a referral code changes of the fee; clients add it to `fee_percentage`. */
export const referralFee = z.object({
  extra_fee_rate: z.number().min(-1).max(1).meta({
    description: 'To be added to the protocol fee, as a fraction; below 0 for a code that is exempt from the fee',
  }),
  referral_label: words('The referral code, where it is known here').optional(),
});
export type ReferralFee = z.infer<typeof referralFee>;
