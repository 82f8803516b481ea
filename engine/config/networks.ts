import { z } from 'zod';
import { burialDepth } from '../legs/onchain/depth.ts';
import { wholeSats, file, httpUrl, sealed, basisPoints, evmAddress } from './fields.ts';

/* What the node is connected to. */

export const lnd = z.strictObject({
  socket: z
    .string()
    .regex(/^[^\s/]+:\d{1,5}$/, 'it takes host:port')
    .describe('host:port of the gRPC interface.'),
  certFile: file.optional().describe('TLS certificate of the node.'),
  cert: sealed,
  macaroonFile: file.optional().describe('Macaroon, a file with mode 0600.'),
  macaroon: sealed,
});

const core = z.strictObject({
  url: httpUrl.describe('Address of its JSON-RPC.'),
  cookieFile: file
    .optional()
    .describe(
      'Cookie that Bitcoin Core writes at each start (.cookie in its data folder), instead of user name and password.',
    ),
  userFile: file.optional().describe('User name, a file with mode 0600.'),
  user: sealed,
  passwordFile: file.optional().describe('Password, a file with mode 0600.'),
  password: sealed,
  caFile: file
    .nullable()
    .default(null)
    .describe("Certificate that the node's own is signed with; null for the authorities of this machine."),
});

/** Beyond six confirmations a transaction is there for good: more would only hold a client's money. */
const depth = z.int().min(1).max(burialDepth);

export const bitcoin = z.strictObject({
  htlcForm: z
    .enum(['p2wsh', 'p2tr'])
    .default('p2wsh')
    .describe(
      'How the HTLC of a swap from Bitcoin is written: p2wsh as the interface says, with its script in the ' +
        'record; p2tr as published clients derive it, whose own refund knows no other.',
    ),
  consolidate: z
    .boolean()
    .default(true)
    .describe(
      "Whether the wallet's coins are joined, and split for fees, while fees are low by what this node has seen " +
        'in two weeks.',
    ),
  confirmations: z
    .tuple([depth, depth])
    .default([1, 3])
    .describe(
      "Confirmations of a client's coin before anything is given for it, up to and above confirmationsAboveSats.",
    ),
  confirmationsAboveSats: wholeSats
    .default(10_000_000)
    .describe(
      'Largest coin, and largest sum of coins with no more confirmations, for which the first of the two counts.',
    ),
  core: core.nullable().default(null),
  esplora: z.array(httpUrl).default([]).describe('Addresses of Esplora servers.'),
});

export const arkade = z.strictObject({
  url: httpUrl.describe('Address of the operator.'),
  maxExposureSats: wholeSats.default(0).describe('Most that may lie with this operator; 0 sets no ceiling.'),
  maxUnsavedSats: wholeSats
    .default(10_000_000)
    .describe(
      'Most that may lie with this operator for ten minutes without its way to the chain being saved, before ' +
        'nothing new is begun over Arkade; 0 sets no ceiling.',
    ),
  renewPreconfirmedAfterMinutes: z
    .int()
    .min(10)
    .max(43_200)
    .default(180)
    .describe(
      'Wallet coins that hang on transactions no batch has taken yet, of clients for one, go into a batch once ' +
        'the oldest is this old.',
    ),
});

/** Of USDC, in its smallest units. */
const usdc = z.int().min(1).max(100_000_000);

export const evmChain = z.strictObject({
  rpc: z
    .array(httpUrl)
    .min(1)
    .describe(
      'JSON-RPC addresses, the first preferred; two of different providers contradict each other when one lies.',
    ),
  confirmations: z
    .tuple([z.int().min(1), z.int().min(1)])
    .optional()
    .describe(
      'Confirmations of a lock up to and above 0.1 BTC, and of all together that have fewer; the second also of what ' +
        'takes back a lock of ours. The default depends on the chain.',
    ),
  contracts: z
    .strictObject({ htlc: evmAddress, coordinator: evmAddress, permit2: evmAddress.optional() })
    .optional()
    .describe('Contracts of new swaps; those of npm run deploy-contracts when left out. Open swaps keep theirs.'),
  peggedToken: evmAddress
    .optional()
    .describe('Token worth one bitcoin that swaps lock; the default depends on the chain.'),
  tokens: z
    .array(evmAddress)
    .optional()
    .describe(
      'Other tokens that can be swapped through the exchange, instead of the default ones of the chain: each needs a ' +
        'pool that leads to the pegged token.',
    ),
  dex: z
    .strictObject({
      kind: z.literal('uniswap-v3').default('uniswap-v3'),
      quoter: evmAddress.describe('QuoterV2.'),
      router: evmAddress.describe('SwapRouter02.'),
      slippageBps: basisPoints
        .default(50)
        .describe(
          'How far from its quote a swap of tokens may end; a swap from a token counts with it from the start, ' +
            'and gives back what is left.',
        ),
    })
    .nullable()
    .optional()
    .describe(
      'Exchange for tokens, which says what gas costs too; the default depends on the chain. It is two contracts of ' +
        'Uniswap v3, without an account or a deposit of yours. Null for none: then nothing new is begun, but where ' +
        'the coin itself is locked.',
    ),
  peg: z
    .strictObject({
      pool: evmAddress.describe('Pool of the exchange that pairs the pegged token with the unit of prices.source.'),
      boundBps: z.int().min(1).max(5_000).default(100).describe('How far its price may be from that of a bitcoin.'),
    })
    .nullable()
    .default(null)
    .describe(
      'What says that the pegged token is worth a bitcoin: beyond the bound for ten minutes no new swap is begun ' +
        'over it. Needs prices.source; null, and the peg is taken for granted.',
    ),
  bridgeFees: z
    .strictObject({
      ethereum: usdc.default(1_250_000).describe('To Ethereum.'),
      others: usdc.default(200_000).describe('To every other chain.'),
    })
    .prefault({})
    .describe(
      'What is kept of USDC that goes on to another chain, in its smallest units: what Circle asks for minting it ' +
        'there. Less leaves it waiting for somebody who mints it.',
    ),
  bundler: z
    .strictObject({
      url: httpUrl.describe('URL of the bundler; shown to whoever asks, with any key in it.'),
      casing: z.enum(['camel', 'snake']).default('camel').describe('How it spells the fields of an operation.'),
      paymaster: httpUrl.nullable().default(null).describe('Who pays for their gas; null, and the client does.'),
    })
    .nullable()
    .default(null)
    .describe(
      'Bundler of user operations that clients may fund their locks by (GET /aa/config); the node itself uses none. ' +
        'Null, and clients bring their own.',
    ),
  agreeAboveSats: wholeSats
    .default(1_000_000)
    .describe(
      'Value of a swap above which two RPCs must agree, and of all together that one of several alone tells of; with ' +
        'a single one it is the most that a swap here may have.',
    ),
  gas: z
    .strictObject({
      maxFeeGwei: z
        .number()
        .min(0)
        .max(1_000_000)
        .optional()
        .describe('Most for a unit of gas, 0 for no such ceiling; the default depends on the chain.'),
      maxShareBps: basisPoints
        .default(5_000)
        .describe(
          'Most that a transaction may cost, in basis points of what it saves; half of it before the last quarter of ' +
            'its time. A claim or refund of a lock may cost a quarter of it, half, all of it, and at last the lock, by ' +
            'the quarters of its time.',
        ),
    })
    .prefault({}),
  relayerFloorWei: z
    .string()
    .regex(/^\d{1,30}$/, 'it takes a whole number of wei, as text')
    .optional()
    .describe('Coins for gas below which no new swaps are begun; the default depends on the chain.'),
});
