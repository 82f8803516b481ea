import { z } from 'zod';
import {
  amount,
  chain,
  count,
  evmAddress,
  flag,
  fraction,
  hex0x,
  sats,
  swapStatus,
  tokenInfo,
  unixTime,
  words,
} from '../wire.ts';

/** Replies of the public operations that are not swap records (facts/clients.md 3 and 10). */

export const errorBody = z
  .object({ error: words('What is wrong and what to do') })
  .meta({ id: 'Error', description: 'Every error' });

export const tokenList = z
  .object({ btc_tokens: z.array(tokenInfo), evm_tokens: z.array(tokenInfo) })
  .meta({ id: 'TokenList', description: 'Tokens that can be swapped now' });
export type TokenList = z.infer<typeof tokenList>;

export const bulkStatus = z.object({
  statuses: z.array(z.object({ id: words('Swap id'), status: swapStatus })),
  not_found: z.array(words('Swap id')),
});
export type BulkStatus = z.infer<typeof bulkStatus>;

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

export const medianTimePast = z.object({
  mtp: unixTime('Median time past of the Bitcoin tip'),
  tip_height: count('Height of the Bitcoin tip'),
});
export type MedianTimePast = z.infer<typeof medianTimePast>;

export const version = z.object({
  tag: words('Version'),
  commit_hash: words('Commit that it was built from, or unknown'),
});
export type Version = z.infer<typeof version>;

/** What a surcharge or a referral code changes of the fee; clients add it to `fee_percentage`. */
export const referralFee = z.object({
  extra_fee_rate: z.number().min(-1).max(1).meta({
    description: 'To be added to the protocol fee, as a fraction; below 0 for a code that is exempt from the fee',
  }),
  referral_label: words('The referral code, where it is known here').optional(),
});
export type ReferralFee = z.infer<typeof referralFee>;

export const supportAgents = z.object({
  agents: z.array(z.object({ npub: words('Nostr key of somebody who helps users') })),
});
export type SupportAgents = z.infer<typeof supportAgents>;

const serviceHealth = z
  .object({
    healthy: flag('Whether it answers'),
    block_height: count('Height').optional(),
    block_time: unixTime('Time of the last block').optional(),
    error: words('What is wrong').optional(),
  })
  .meta({ id: 'ServiceHealth', description: 'One network' });

/** Answered with 200 when healthy and 503 when not, in one shape. */
export const nodeStatus = z.object({
  healthy: flag('Whether every connected network answers'),
  swaps_paused: flag('Whether new swaps are refused').optional(),
  services: z.object({
    arkade: serviceHealth,
    bitcoin: serviceHealth,
    polygon: serviceHealth,
    ethereum: serviceHealth,
    arbitrum: serviceHealth,
    lightning: serviceHealth.optional(),
  }),
});
export type NodeStatus = z.infer<typeof nodeStatus>;

export const gaslessClaim = z.object({
  id: words('Swap id'),
  message: words('What happened'),
  status: swapStatus,
  tx_hash: words(
    'Hash of the claim that the service relayed; empty while it is being broadcast or when someone else claimed',
  ),
});
export type GaslessClaim = z.infer<typeof gaslessClaim>;

export const dexCalldata = z.object({
  data: words('Calldata'),
  to: words('Contract'),
  value: words('Coins to send along'),
});

export const redeemData = z.object({
  calls_hash: hex0x(32, 'Hash of the calls; part of the signature'),
  gasless_fee_sats: count('Always 0; for older clients'),
  min_amount_out: amount('Least amount that reaches the destination; the value to sign'),
  dex_calldata: dexCalldata.optional(),
});
export type RedeemData = z.infer<typeof redeemData>;

export const collabRefundEvmParams = z.object({
  amount: amount('Token amount in the HTLC'),
  calls_hash: hex0x(32, 'Hash of the calls that the depositor signs over'),
  chain_id: count('EVM chain'),
  claim_address: evmAddress("The service's account"),
  coordinator_address: evmAddress('Coordinator, the verifyingContract'),
  coordinator_version: count('EIP-712 domain version of the coordinator'),
  min_amount_out: amount('Always 0'),
  preimage_hash: hex0x(32, 'Hash lock'),
  server_signer_address: evmAddress('The account that sends the refund, the caller field'),
  sweep_token: evmAddress('The BTC-pegged token'),
  timelock: unixTime('When the HTLC expires'),
  token: evmAddress('The BTC-pegged token'),
});
export type CollabRefundEvmParams = z.infer<typeof collabRefundEvmParams>;

/** A transaction that the service sent for the client. */
export const relayed = z.object({
  id: words('Swap id'),
  tx_hash: words('Hash of the transaction'),
  message: words('What happened'),
  status: swapStatus,
});
export type Relayed = z.infer<typeof relayed>;

const call = z
  .object({ target: evmAddress('Contract'), value: words('Coins to send along'), call_data: words('Calldata') })
  .meta({ id: 'Call', description: 'A call of the coordinator' });

export const permit2Funding = z.object({
  coordinator_address: evmAddress('Coordinator'),
  permit2_address: evmAddress('Permit2'),
  source_token_address: evmAddress('Token that the user permits'),
  source_amount: amount('Amount that the user permits'),
  lock_token_address: evmAddress('BTC-pegged token of the HTLC'),
  preimage_hash: hex0x(32, 'Hash lock'),
  claim_address: evmAddress("The service's account"),
  timelock: unixTime('When the HTLC expires'),
  calls: z.array(call),
  calls_hash: hex0x(32, 'Hash of the calls'),
  eip2612: z
    .object({
      supported: flag('Whether the token takes signed permits'),
      already_approved: flag('Whether Permit2 is approved already'),
      nonce: count('Nonce of the permit'),
      domain_separator: hex0x(32, "The token's domain"),
    })
    .optional(),
  relay_fee: amount('Fee of a gasless funding').optional(),
});
export type Permit2Funding = z.infer<typeof permit2Funding>;

export const refundCalldata = z.object({
  coordinator_address: evmAddress('Coordinator'),
  calldata: words('Calldata of the refund'),
});
export type RefundCalldata = z.infer<typeof refundCalldata>;

export const collabRefundReply = z.object({
  ark_tx: words('PSBT, base64'),
  checkpoint_txs: z.array(words('PSBT, base64')),
});
export const delegateRefundReply = z.object({
  forfeit_psbts: z.array(words('PSBT, base64')),
  intent_proof: words('PSBT, base64'),
});
export const cosignerKey = z.object({ cosigner_pk: words('33-byte compressed key, hex') });
export const settlement = z.object({ commitment_txid: words('Commitment transaction of the batch') });
