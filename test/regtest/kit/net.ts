// Real daemons for tests. A file that needs Lightning opens one net for all its tests:
//
//     onDaemons('what the tests say', () => {
//       let net: Net;
//       beforeAll(async () => { net = await startNet({ lnds: ['ours', 'outside'] }); });
//       afterAll(() => net.stop());
//       beforeEach(() => net.forgive());
//       test('...', async () => {
//         const ours = net.lnd('ours');        // socket, certFile, macaroonFile, publicKey, lnd (an ln-service client)
//         await net.mine(3);                   // and every running lnd has the blocks
//         await ours.kill(); await ours.start();
//       });
//     });
//
// `startChain` gives the chain alone: btcd, miner, faucet. Each net has ports and a folder of its own; several may run
// at once. Nothing outlives the test process. Run such a file by
// `npx vitest run --config test/tools/vitest.apart.config.ts test/regtest/NAME.test.ts` once `npm run test:regtest` has
// built the daemons; `SLUICE_REGTEST_BIN` names a folder with other ones.
import { join } from 'node:path';
import {
  addPeer,
  createChainAddress,
  deleteForwardingReputations,
  getChainBalance,
  getChannels,
  getNetworkGraph,
  getPeers,
  openChannel,
} from 'ln-service';
import { findDaemons } from './build.ts';
import { startChain, type Chain, type ChainOptions } from './chain.ts';
import { until } from './daemon.ts';
import { startLnd, type Lnd } from './lnd.ts';

export interface Net extends Chain {
  readonly lnds: readonly Lnd[];
  lnd(alias: string): Lnd;
  /** Blocks with all that waits in the mempool; waits until every running lnd has them. */
  mine(count: number): Promise<void>;
  /**
   * Connects neighbours again where they did not find each other yet, and waits until every channel of running lnds is
   * active.
   */
  reconnect(): Promise<void>;
  /** Makes every running lnd forget what it holds against routes that failed before. */
  forgive(): Promise<void>;
}

export interface Channel {
  readonly from: string;
  readonly to: string;
  /** Sats; `pushed` of them belong to the other side from the start. */
  readonly capacity: number;
  readonly pushed: number;
}

export interface NetOptions extends ChainOptions {
  /** Aliases. */
  readonly lnds: readonly string[];
  /** When left out: one between neighbours of the list, of 20 million sats, half of them on each side. */
  readonly channels?: readonly Channel[];
  /** More flags for an lnd, by alias. */
  readonly flags?: Readonly<Record<string, readonly string[]>>;
}

const defaultCapacity = 20_000_000;
/** Sats in each of two coins of every lnd's wallet. */
const walletCoin = 60_000_000n;
/** Confirmations after which a channel is announced. */
const announcement = 6;

export async function startNet({
  lnds: aliases,
  channels = between(aliases),
  flags = {},
  ...chainOptions
}: NetOptions): Promise<Net> {
  const daemons = findDaemons();
  if ('absent' in daemons) throw new Error(daemons.absent);
  const chain = await startChain(chainOptions);
  const lnds: Lnd[] = [];
  const running = () => lnds.filter((one) => one.daemon.running);

  function lnd(alias: string): Lnd {
    const node = lnds.find((one) => one.alias === alias);
    if (node === undefined) throw new Error(`no lnd is called ${alias}`);
    return node;
  }

  async function mine(count: number): Promise<void> {
    await chain.miner.mine(count);
    const height = await chain.height();
    await Promise.all(running().map((one) => one.reached(height)));
  }

  async function reconnect(): Promise<void> {
    const up = running().map((one) => one.alias);
    await Promise.all(
      channels
        .filter((channel) => up.includes(channel.from) && up.includes(channel.to))
        .map(({ from, to }) => bridge(lnd(from), lnd(to))),
    );
  }

  async function stop(): Promise<void> {
    await Promise.all(lnds.map((one) => one.stop()));
    await chain.stop();
  }

  try {
    const started = await Promise.allSettled(
      aliases.map((alias) =>
        startLnd({
          program: daemons.lnd,
          folder: join(chain.folder, alias),
          alias,
          bitcoin: chain.node,
          extra: flags[alias] ?? [],
        }),
      ),
    );
    for (const one of started) if (one.status === 'fulfilled') lnds.push(one.value);
    for (const one of started) if (one.status === 'rejected') throw one.reason;
    await fund(chain, lnds, mine);
    await openChannels(channels, lnd, chain);
    await mine(announcement);
    await reconnect();
    await Promise.all(lnds.map((one) => graphOf(one, channels.length)));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...chain,
    lnds,
    lnd,
    mine,
    reconnect,
    forgive: async () =>
      void (await Promise.all(running().map((one) => deleteForwardingReputations({ lnd: one.lnd })))),
    stop,
  };
}

function between(aliases: readonly string[]): Channel[] {
  return aliases
    .slice(1)
    .map((to, i) => ({ from: aliases[i] ?? '', to, capacity: defaultCapacity, pushed: defaultCapacity / 2 }));
}

async function fund(chain: Chain, lnds: readonly Lnd[], mine: (count: number) => Promise<void>): Promise<void> {
  const addresses = await Promise.all(
    lnds.map(async (one) => (await createChainAddress({ lnd: one.lnd, format: 'p2tr' })).address),
  );
  await chain.faucet.pay(
    addresses.flatMap((to) => [
      { to, amount: walletCoin },
      { to, amount: walletCoin },
    ]),
  );
  await mine(1);
  await Promise.all(
    lnds.map((one) =>
      until(`${one.alias} has its coins`, async () =>
        BigInt((await getChainBalance({ lnd: one.lnd })).chain_balance) === 2n * walletCoin ? true : null,
      ),
    ),
  );
}

async function openChannels(channels: readonly Channel[], lnd: (alias: string) => Lnd, chain: Chain): Promise<void> {
  for (const { from, to, capacity, pushed } of channels) {
    const [one, other] = [lnd(from), lnd(to)];
    const opened = await until(`${from} opens a channel to ${to}`, async () => {
      await meet(one, other);
      try {
        await openChannel({
          lnd: one.lnd,
          partner_public_key: other.publicKey,
          local_tokens: capacity,
          give_tokens: pushed,
        });
        return { failure: null };
      } catch (failure) {
        // A peer that has just come is not always there for a channel yet: nothing was opened.
        return Array.isArray(failure) && failure[1] === 'PeerIsNotOnline' ? null : { failure };
      }
    });
    if (opened.failure !== null) throw new Error(`${from} opens no channel to ${to}`, { cause: opened.failure });
  }
  await until('the channels are funded', async () =>
    (await chain.node.rpc.call<string[]>('getrawmempool')).length >= channels.length ? true : null,
  );
}

async function meet(one: Lnd, other: Lnd): Promise<void> {
  const { peers } = await getPeers({ lnd: one.lnd });
  if (!peers.some((peer) => peer.public_key === other.publicKey))
    await addPeer({ lnd: one.lnd, public_key: other.publicKey, socket: other.p2p });
}

/**
 * Until the channels of two neighbours are active on both sides. They also find each other by themselves, and may cross
 * on the way.
 */
async function bridge(one: Lnd, other: Lnd): Promise<void> {
  try {
    await until(`the channel of ${one.alias} and ${other.alias} is active`, async () => {
      if ((await isActive(one, other)) && (await isActive(other, one))) return true;
      await meet(one, other);
      return null;
    });
  } catch (cause) {
    const complaints = [one, other].map(({ alias, daemon }) => `${alias}:\n${daemon.log(/\[(WRN|ERR)\]/)}`);
    throw new Error(`the channel of ${one.alias} and ${other.alias} stays down\n${complaints.join('\n')}`, { cause });
  }
}

async function isActive(one: Lnd, other: Lnd): Promise<boolean> {
  const { channels } = await getChannels({ lnd: one.lnd, partner_public_key: other.publicKey });
  return channels.length > 0 && channels.every((channel) => channel.is_active);
}

async function graphOf(one: Lnd, count: number): Promise<void> {
  await until(`${one.alias} knows every channel`, async () => {
    const { channels } = await getNetworkGraph({ lnd: one.lnd });
    return channels.length === count &&
      channels.every(({ policies }) => policies.every((policy) => policy.base_fee_mtokens !== undefined))
      ? true
      : null;
  });
}
