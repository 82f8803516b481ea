import { z } from 'zod';
import { bitcoinNetworks } from '../domain/chain.ts';
import { readAddress } from '../legs/evm/address-text.ts';

/**
 * The owner's configuration, field by field. Secrets are named by the file that holds them, never written here.
 * Every field has its default, so that `{}` is the sandbox.
 */

const wholeSats = z.int().min(0).max(2_100_000_000_000_000);
const wholeSeconds = z.int().min(1).max(31_536_000);
const file = z.string().min(1);
const noUser = (url: string): boolean => !/^[a-z0-9]+:\/\/[^/]*@/i.test(url);
const httpUrl = z
  .url({ protocol: /^https?$/, error: 'is not an http or https address' })
  .refine(noUser, 'carries a user name or a password, which belong into a file of their own');
const socksUrl = z
  .url({ protocol: /^socks5h?$/, error: 'is not a socks5:// address' })
  .refine(noUser, 'carries a user name or a password, and the proxy must ask for none');
const hostname = z.string().regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i, 'is not a host name');

/** Bytes of a credential, sealed under the key of the seed. Only owner routes store them. */
const sealed = z.strictObject({ sealed: z.string().regex(/^[0-9a-f]+$/) }).optional();

const http = z.strictObject({
  hostnames: z.array(hostname).default([]).describe('Public names a reverse proxy may call the node by.'),
  trustLoopbackProxy: z
    .boolean()
    .default(false)
    .describe('Believe the address that a reverse proxy on this machine adds last to X-Forwarded-For.'),
  origins: z.array(z.string().min(1)).default([]).describe('Foreign browser origins that may call the public routes.'),
});

const lnd = z.strictObject({
  socket: z
    .string()
    .regex(/^[^\s/]+:\d{1,5}$/, 'is not host:port')
    .describe('host:port of the gRPC interface.'),
  certFile: file.optional().describe('TLS certificate of the node.'),
  cert: sealed,
  macaroonFile: file.optional().describe('Macaroon, a file with mode 0600.'),
  macaroon: sealed,
});

const core = z.strictObject({
  url: httpUrl,
  userFile: file.optional().describe('User name, a file with mode 0600.'),
  user: sealed,
  passwordFile: file.optional().describe('Password, a file with mode 0600.'),
  password: sealed,
  caFile: file
    .nullable()
    .default(null)
    .describe("Certificate that the node's own is signed with; null for the authorities of this machine."),
});

const bitcoin = z.strictObject({
  core: core.nullable().default(null),
  esplora: z.array(httpUrl).default([]),
});

const arkade = z.strictObject({
  url: httpUrl,
  maxExposureSats: wholeSats.default(0).describe('Most that may lie with this operator; 0 sets no ceiling.'),
  renewPreconfirmedAfterMinutes: z
    .int()
    .min(10)
    .max(43_200)
    .default(180)
    .describe(
      'Wallet coins that hang on transactions no batch has taken yet, of clients for one, go into a batch once the oldest is this old.',
    ),
});

const evmAddress = z
  .string()
  .refine(
    (text) => readAddress(text) !== null,
    'is not an address (0x and 40 hex digits, in capital and small letters only if they are its checksum)',
  );
const basisPoints = z.int().min(0).max(10_000);

const evmChain = z.strictObject({
  rpc: z
    .array(httpUrl)
    .min(1)
    .describe(
      'JSON-RPC addresses, the first preferred; two of different providers contradict each other when one lies.',
    ),
  confirmations: z
    .tuple([z.int().min(1), z.int().min(1)])
    .optional()
    .describe('Confirmations up to and above 0.1 BTC; the default depends on the chain.'),
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
    .describe('Other tokens that can be swapped through the exchange; the default depends on the chain.'),
  dex: z
    .strictObject({
      kind: z.literal('uniswap-v3').default('uniswap-v3'),
      quoter: evmAddress.describe('QuoterV2.'),
      router: evmAddress.describe('SwapRouter02.'),
      slippageBps: basisPoints.default(50).describe('How far below its quote a swap of tokens may end.'),
    })
    .nullable()
    .optional()
    .describe('Exchange for tokens; null for none, the default depends on the chain.'),
  agreeAboveSats: wholeSats
    .default(1_000_000)
    .describe(
      'Value of a swap above which two RPCs must agree; with a single one it is the most that a swap here may have.',
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
          'Most that a transaction may cost, in basis points of what it saves; all of it in the last quarter of its time.',
        ),
    })
    .prefault({}),
  relayerFloorWei: z
    .string()
    .regex(/^\d{1,30}$/, 'is not a whole number of wei, as text')
    .optional()
    .describe('Coins for gas below which no new swaps are begun; the default depends on the chain.'),
});

const terms = z.strictObject({
  feeBps: z.int().min(0).max(10_000).default(25),
  minSats: wholeSats.min(1).default(1_000),
  maxSats: wholeSats.min(1).default(10_000_000),
  overpaymentToleranceBps: z.int().min(0).max(10_000).default(100),
  routingShareBps: z
    .int()
    .min(0)
    .max(10_000)
    .default(5_000)
    .describe(
      'Most of its protocol fee that the route of one payment may cost besides the network fee, in basis points: a payee may own the last hops and name their price.',
    ),
  exemptReferralCodes: z
    .array(z.string().trim().min(1).max(64))
    .default([])
    .describe('Referral codes whose swaps pay no protocol fee; a surcharge stays.'),
});

const caps = z.strictObject({
  perNetworkSats: z
    .record(
      z
        .string()
        .regex(/^(arkade|lightning|bitcoin|evm:[1-9]\d*)$/, 'is not arkade, lightning, bitcoin or evm:<chain id>'),
      wholeSats,
    )
    .default({}),
  perHourSats: wholeSats.default(0),
  perDaySats: wholeSats.default(0),
  approveAboveSats: wholeSats.default(0),
});

const taker = z.strictObject({
  providers: z
    .array(httpUrl)
    .default([])
    .describe(
      'Other nodes that this one may swap with. A folder that begins with its seed alone asks each of them which keys were used.',
    ),
});

/** What an act that nobody watches may cost. Beyond it nothing is done before the owner says so. */
const ceilings = z.strictObject({
  renewalBps: basisPoints
    .default(20)
    .describe(
      'Most that the operator may take for renewing a coin, in basis points of it; ten times as much in the second half of the time that is left for it.',
    ),
  renewalMinSats: wholeSats.default(500).describe('What renewing a coin may cost in any case.'),
  renewalMonthBps: basisPoints
    .default(100)
    .describe(
      "Most that renewals may cost in 30 days, in basis points of the wallet's coins; a coin that expires within hours is renewed all the same.",
    ),
  withdrawalBps: basisPoints
    .default(500)
    .describe(
      'Most that a withdrawal may cost, first fee and raises together, in basis points of its amount; max_fee in its body goes beyond.',
    ),
  withdrawalMinSats: wholeSats.default(2_000).describe('What a withdrawal may cost in any case.'),
  withdrawalMaxSats: wholeSats.default(50_000).describe('What no withdrawal may cost without max_fee.'),
  unpaidGasPerDaySats: wholeSats
    .default(20_000)
    .describe(
      'Most that gas paid for clients may cost in a day where their swaps brought no fee, on one chain; a quarter of it for one client.',
    ),
  claimBps: basisPoints
    .default(5_000)
    .describe(
      'Most that claiming or taking back a coin of a swap may cost, in basis points of it; all of it in the last quarter of the time that is left for a claim.',
    ),
});

const support = z.strictObject({
  agents: z
    .array(z.string().regex(/^npub1[02-9ac-hj-np-z]{58}$/, 'is not a Nostr public key (npub1...)'))
    .default([])
    .describe('Nostr keys of those who help users, shown at /support-agents.'),
});

const alerts = z.strictObject({ webhookUrl: httpUrl.nullable().default(null) });

/** Numbers to live by. Shorter timings than the defaults are accepted on regtest only. */
const timing = z.strictObject({
  clientLegSeconds: wholeSeconds.default(86_400).describe('Locktime of the leg the client funds.'),
  serviceLegSeconds: wholeSeconds.default(43_200).describe('Locktime of the leg the service funds.'),
  longestLegSeconds: wholeSeconds.default(604_800).describe('Longest client leg that a payout invoice may ask for.'),
  marginSeconds: wholeSeconds
    .default(7_200)
    .describe('Reaction, confirmation and reorganisation, between two timelocks.'),
  fundingWindowSeconds: wholeSeconds.default(1_800).describe('How long a created swap waits for its funding.'),
  fastBlockSeconds: wholeSeconds
    .default(450)
    .describe('Shortest block time to reckon with when a held payment must outlive a locktime.'),
  medianTimeLagSeconds: wholeSeconds
    .default(10_800)
    .describe(
      'Furthest that median time past may trail the clock: the timeouts reckon with it, and beyond it nothing new is begun over Bitcoin (on regtest only if it is set).',
    ),
  maxTipAgeSeconds: z
    .strictObject({
      bitcoin: wholeSeconds
        .default(10_800)
        .describe(
          'Age of the last Bitcoin block beyond which nothing new is begun over Bitcoin (on regtest only if it is set).',
        ),
      evm: wholeSeconds.default(600).describe('The same of the chains of evm.'),
    })
    .prefault({}),
  createWaitSeconds: wholeSeconds.default(10).describe('How long a create waits for a network before it answers 503.'),
  bodySeconds: wholeSeconds.default(15).describe('How long a request body may take.'),
});

const flood = z.strictObject({
  burst: z
    .int()
    .min(1)
    .default(300)
    .describe(
      'Units a client may spend at once: a create is 1, a read 0.2, a recovery 20 (the table of routes says what each costs).',
    ),
  perSecond: z.int().min(1).default(50).describe('Units a second a client gets back.'),
  socketsPerClient: z
    .int()
    .min(1)
    .max(1_024)
    .default(640)
    .describe('Connections a client may hold, of 1,024; the owner has its own.'),
  openCreatesPerClient: z.int().min(1).default(400).describe('Swaps of a client that may wait for their funding.'),
});

export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  network: z
    .enum(bitcoinNetworks)
    .optional()
    .describe('Required outside the sandbox; one data folder holds one network for ever.'),
  dataDir: z.string().min(1).optional(),
  port: z.int().min(0).max(65_535).default(7_733).describe('Port on loopback; 0 takes a free one.'),
  http: http.prefault({}),
  socks: socksUrl.nullable().default(null).describe('Proxy for every outgoing connection.'),
  lnd: lnd.nullable().default(null),
  bitcoin: bitcoin.prefault({}),
  arkade: arkade.nullable().default(null),
  evm: z.record(z.string().regex(/^[1-9]\d*$/, 'is not an EVM chain id'), evmChain).default({}),
  terms: terms.prefault({}),
  caps: caps.prefault({}),
  ceilings: ceilings.prefault({}),
  taker: taker.prefault({}),
  support: support.prefault({}),
  alerts: alerts.prefault({}),
  timing: timing.prefault({}),
  flood: flood.prefault({}),
  recoveryGap: z
    .int()
    .min(100)
    .max(10_000)
    .default(120)
    .describe(
      'Unused keys in a row that end a recovery. Clients burn an index with a create that failed, and eleven with a hash that was used: fewer than 100 would lose swaps.',
    ),
});

export type ParsedConfig = z.output<typeof configSchema>;
export type Timing = ParsedConfig['timing'];
