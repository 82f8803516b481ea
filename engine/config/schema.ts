import { z } from 'zod';
import { bitcoinNetworks } from '../domain/chain.ts';
import { wholeSats, httpUrl, socksUrl, hostname, basisPoints, evmAddress } from './fields.ts';
import { arkade, bitcoin, evmChain, lnd } from './networks.ts';
import { terms } from './terms.ts';
import { alerts, log, metrics } from './operation.ts';
import { timing } from './timing.ts';

/**
 * The owner's configuration, field by field. Secrets are named by the file that holds them, never written here.
 * Every field has its default, so that `{}` is the sandbox.
 */

const http = z.strictObject({
  hostnames: z.array(hostname).default([]).describe('Public names a reverse proxy may call the node by.'),
  trustLoopbackProxy: z
    .boolean()
    .default(false)
    .describe('Believe the address that a reverse proxy on this machine adds last to X-Forwarded-For.'),
  origins: z.array(z.string().min(1)).default([]).describe('Foreign browser origins that may call the public routes.'),
});

const caps = z.strictObject({
  perNetworkSats: z
    .record(
      z
        .string()
        .regex(/^(arkade|lightning|bitcoin|evm:[1-9]\d*)$/, 'it takes arkade, lightning, bitcoin or evm:<chain id>'),
      wholeSats,
    )
    .default({})
    .describe('Most that open swaps may promise or lock on a network.'),
  perHourSats: wholeSats.default(0).describe('Most that swaps may promise in an hour; 0 sets no cap.'),
  perDaySats: wholeSats.default(0).describe('Most that swaps may promise in a day; 0 sets no cap.'),
  approveAboveSats: wholeSats.default(0).describe('Swaps above it are refused; 0 sets no cap.'),
});

const taker = z.strictObject({
  providers: z
    .array(httpUrl)
    .default([])
    .describe(
      'Other nodes that this one may swap with. A folder that begins with its seed alone asks each of them which ' +
        'keys were used.',
    ),
});

/** What an act that nobody watches may cost. Beyond it nothing is done before the owner says so. */
const ceilings = z.strictObject({
  renewalBps: basisPoints
    .default(20)
    .describe(
      'Most that the operator may take for renewing a coin, in basis points of it; ten times as much in the ' +
        'second half of the time that is left for it.',
    ),
  renewalMinSats: wholeSats.default(500).describe('What renewing a coin may cost in any case.'),
  renewalMonthBps: basisPoints
    .default(100)
    .describe(
      "Most that renewals may cost in 30 days, in basis points of the wallet's coins; a coin that expires within " +
        'hours is renewed all the same.',
    ),
  withdrawalBps: basisPoints
    .default(500)
    .describe(
      'Most that a withdrawal may cost, first fee and raises together, in basis points of its amount; max_fee in ' +
        'its body goes beyond.',
    ),
  withdrawalMinSats: wholeSats.default(2_000).describe('What a withdrawal may cost in any case.'),
  withdrawalMaxSats: wholeSats.default(50_000).describe('What no withdrawal may cost without max_fee.'),
  unpaidGasPerDaySats: wholeSats
    .default(100_000)
    .describe(
      'Most that locks, fundings, refunds and relays for clients may cost in a day, on one network, where their ' +
        'swaps brought no fee; a quarter of it for one client, and of each half for those who never paid one. ' +
        'Beyond it nothing new is locked, funded or relayed; claims and refunds go on. The sandbox has two hundred ' +
        'times as much: all its clients come from one address.',
    ),
  consolidationPerDaySats: wholeSats
    .default(5_000)
    .describe("Most that joining and splitting the Bitcoin wallet's coins may cost in a day."),
  claimBps: basisPoints
    .default(5_000)
    .describe(
      'Most that claiming or taking back a coin of a swap may cost, in basis points of it; all of it in the last ' +
        'quarter of the time that is left for a claim. For an HTLC on the Bitcoin chain a quarter of this counts in ' +
        'the first quarter of that time, and half in the second; while a claim costs more than that first quarter, ' +
        'no secret is shown and nothing is given for its coin.',
    ),
});

const prices = z.strictObject({
  url: httpUrl
    .nullable()
    .default(null)
    .describe(
      'Short for fiat in dollars: answers {"bitcoin": {"usd": 60000}}, as price services do. Not used where fiat is set.',
    ),
  source: z
    .union(
      [
        z.strictObject({
          url: httpUrl.describe('Answers JSON.'),
          path: z.string().min(1).max(200).describe('To the price of a bitcoin in it: names with dots between.'),
        }),
        z.strictObject({
          chain: z.string().regex(/^[1-9]\d*$/, 'it takes an EVM chain id'),
          pool: evmAddress,
          bitcoin: evmAddress.describe('The token of the pool that is the bitcoin.'),
        }),
      ],
      { error: 'it takes url and path, or chain, pool and bitcoin' },
    )
    .nullable()
    .default(null)
    .describe(
      'What a bitcoin costs, in the unit of the pools of evm.<id>.peg: a JSON address, or a pool of a connected ' +
        'chain. Without it no peg is watched.',
    ),
  fiat: z
    .strictObject({
      url: httpUrl.describe('Answers JSON.'),
      path: z.string().min(1).max(200).describe('To the price of a bitcoin in it: names with dots between.'),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/, 'it takes the three capitals of a currency')
        .describe('Its code, such as USD.'),
    })
    .nullable()
    .default(null)
    .describe(
      'Price of a bitcoin in your currency, for display beside amounts on the page. The source is asked ' +
        'while somebody looks, once a minute at most, through socks where that is set. Null asks nobody.',
    ),
});

/** By network; the page fills in the id of a transaction. */
const explorers = z
  .record(
    z.string().regex(/^(arkade|bitcoin|evm:[1-9]\d*)$/, 'it takes arkade, bitcoin or evm:<chain id>'),
    z
      .string()
      .max(300)
      .regex(/^https:\/\/[^\s"'<>]*\{txid\}[^\s"'<>]*$/, 'it takes an https address with {txid} in it')
      .describe('Such as https://mempool.space/tx/{txid}.'),
  )
  .default({})
  .describe(
    'Where transactions can be looked at, by network. The page links there, and whoever follows a link shows that ' +
      'server which transaction is theirs. Empty: no links.',
  );

const boltz = z.strictObject({
  enabled: z
    .boolean()
    .default(false)
    .describe(
      'Answer the Boltz interface below /v2 too, for wallets that speak it and let their user choose the server. The ' +
        'pages of wallets in a browser have to be among http.origins.',
    ),
  toArkade: z
    .strictObject({
      enabled: z
        .boolean()
        .default(false)
        .describe(
          'Lightning and Bitcoin to Arkade over the Boltz interface too. Its clients know a script alone that takes a ' +
            'secret of any length: one that picks another than 32 bytes takes what the node locked and keeps what it gave. What ' +
            'can be lost so is boltz.toArkade.maxLossSats in all. The first loss turns this off.',
        ),
      maxSwapSats: z
        .int()
        .min(1)
        .default(50_000)
        .describe('What the node locks for one such swap, at most: all of it can be lost.'),
      maxLossSats: z
        .int()
        .min(1)
        .default(100_000)
        .describe(
          'What can be lost so in all since boltz.toArkade.enabled was last turned on: lost, or under way and not ' +
            'seen to have ended well. A swap that is not paid for yet takes at most half of what is left. Over all ' +
            'time, restarts, and restored copies that see one of its notes; turning it off and on again begins anew, ' +
            'with what is under way.',
        ),
    })
    .prefault({}),
});

const support = z.strictObject({
  agents: z
    .array(z.string().regex(/^npub1[02-9ac-hj-np-z]{58}$/, 'it takes a Nostr public key (npub1...)'))
    .default([])
    .describe('Nostr keys of those who help users, shown at /support-agents.'),
});

const rescue = z.strictObject({
  copyTo: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'File in which the rescue bundle is kept besides the data folder: on another disk, else a broken disk takes ' +
        'both. No new swaps are opened while it cannot be written.',
    ),
});

const flood = z.strictObject({
  burst: z
    .int()
    .min(1)
    .default(300)
    .describe(
      'Units a client may spend at once: a create is 1, a read 0.2, a recovery 20 (the table of routes says what ' +
        'each costs). The sandbox has 1,000 where nothing of flood is set.',
    ),
  perSecond: z.int().min(1).default(50).describe('Units a second a client gets back.'),
  socketsPerClient: z
    .int()
    .min(1)
    .max(1_024)
    .default(640)
    .describe('Connections a client may hold, of 1,024; the owner has its own.'),
  openCreatesPerClient: z
    .int()
    .min(1)
    .default(400)
    .describe(
      'Swaps of a client that may wait for their funding. Five times as many that nobody paid for may be open until ' +
        'their timelocks end, and fifty times as many of all clients: above that each may have a twentieth.',
    ),
});

export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  network: z
    .enum(bitcoinNetworks)
    .optional()
    .describe('Required outside the sandbox; one data folder holds one network for ever.'),
  dataDir: z.string().min(1).optional().describe('Folder of keys and swaps, as --data-dir names it.'),
  port: z.int().min(0).max(65_535).default(7_733).describe('Port on loopback; 0 takes a free one.'),
  http: http.prefault({}),
  live: z
    .boolean()
    .nullable()
    .default(null)
    .describe(
      'Whether strangers are offered swaps; the owner can always swap with the node itself. Null: at once in the ' +
        'sandbox, in a folder that served swaps before, and on regtest where a file, the environment or a flag ' +
        'connects a network; else not before this is true.',
    ),
  socks: socksUrl.nullable().default(null).describe('Proxy for every outgoing connection.'),
  lnd: lnd.nullable().default(null),
  bitcoin: bitcoin.prefault({}),
  arkade: arkade.nullable().default(null),
  evm: z.record(z.string().regex(/^[1-9]\d*$/, 'it takes an EVM chain id'), evmChain).default({}),
  terms: terms.prefault({}),
  caps: caps.prefault({}),
  ceilings: ceilings.prefault({}),
  taker: taker.prefault({}),
  support: support.prefault({}),
  boltz: boltz.prefault({}),
  prices: prices.prefault({}),
  explorers,
  alerts: alerts.prefault({}),
  metrics: metrics.prefault({}),
  log: log.prefault({}),
  timing: timing.prefault({}),
  flood: flood.prefault({}),
  rescue: rescue.prefault({}),
  recoveryGap: z
    .int()
    .min(100)
    .max(200)
    .default(120)
    .describe(
      'Unused keys in a row that end a recovery. Clients burn an index with a create that failed, and eleven with ' +
        'a hash that was used: fewer than 100 would lose swaps. One request looks at 200, so that more never ends one.',
    ),
});

export type ParsedConfig = z.output<typeof configSchema>;
export type Timing = ParsedConfig['timing'];
