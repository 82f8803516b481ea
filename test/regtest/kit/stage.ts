// A node of ours on real daemons, and a client: for stories.
//
//     let stage: Stage;
//     beforeAll(async () => { stage = await openStage(); });
//     afterAll(() => stage?.stop());
//
// The node has an lnd, a Bitcoin node and an Arkade operator: the one that the environment gives, whose chain the btcd
// then joins, else the sandbox's on that node's clock. The client has an lnd of its own beside the node's, a key on
// Arkade, and the operator's faucet.
import { entropyToMnemonic, mnemonicToSeed } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { join } from 'node:path';
import { connectArkade } from '../../../engine/adapters/arkade/connect.ts';
import { createKeys, type Keys } from '../../../engine/adapters/keys/keys.ts';
import { unix } from '../../../engine/domain/time.ts';
import { openClient, type Client, type Swap } from '../../stories/client/client.ts';
import type { Json } from '../../stories/client/http.ts';
import { eventually, startWireNode, type WireNode } from '../../stories/wire-node.ts';
import { asStageOperator, realOperator } from '../arkd/stage.ts';
import type { Chain } from './chain.ts';
import { freePort, until, guard } from './daemon.ts';
import type { EvmChainOfStage } from './evm-chain.ts';
import { lightningWallet, type LightningWallet } from './lightning-wallet.ts';
import type { Lnd } from './lnd.ts';
import { startNet, type Net } from './net.ts';
import { nodeFiles, type Settings } from './node-files.ts';
import type { BitcoinKind } from './on-daemons.ts';
import { startOperator, type StageOperator } from './operator.ts';

export interface Stage {
  readonly net: Net;
  /** The node's lnd and the client's. */
  readonly ours: Lnd;
  readonly theirs: Lnd;
  readonly operator: StageOperator;
  readonly node: WireNode;
  readonly client: Client;
  readonly wallet: LightningWallet;
  /** Where the node keeps its Arkade coins. */
  readonly nodeScript: Uint8Array;
  /** Of the node's words. */
  readonly entropy: Uint8Array;
  /** Waits for one of these statuses, across deaths of the node. */
  reached(swap: Swap, ...statuses: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

export interface StageOptions {
  /** Seconds, as in the configuration; shorter than where money is real. */
  readonly timing?: Readonly<Record<string, number>>;
  readonly caps?: Readonly<Record<string, number>>;
  /** A chain that the node is to be on as well. */
  readonly chain?: EvmChainOfStage;
  /** More flags for an lnd, by alias. */
  readonly flags?: Readonly<Record<string, readonly string[]>>;
  /** Which Bitcoin node lnd and ours have; btcd when left out. */
  readonly over?: BitcoinKind;
  /** What more is written into the configuration. */
  readonly more?: Settings;
}

const nodeFunds = 20_000_000;
const nodeCoins = 20;

export async function openStage({
  timing = {},
  caps = {},
  chain,
  flags = {},
  over = 'btcd',
  more = {},
}: StageOptions = {}): Promise<Stage> {
  // A given operator follows a chain of its own.
  const real = over === 'btcd' ? await realOperator() : null;
  const net = await startNet({
    lnds: ['ours', 'theirs'],
    over,
    flags,
    ...(real === null ? {} : { joins: real.chain.rpc }),
  });
  const opened: (() => Promise<unknown>)[] = [() => net.stop()];
  async function stop(): Promise<void> {
    for (const close of opened.splice(0).reverse()) await close();
  }
  try {
    const operator =
      real === null ? await startOperator(net.node, join(net.folder, 'operator')) : await asStageOperator(real);
    opened.push(() => operator.stop());
    const [ours, theirs] = [net.lnd('ours'), net.lnd('theirs')];
    const { socket, certFile, macaroonFile } = ours;
    const { config, passphraseFile, folder, entropy } = await nodeFiles(net.folder, net.node, {
      lnd: { socket, certFile, macaroonFile },
      arkade: { url: operator.url },
      timing,
      caps,
      evm: chain?.config ?? {},
      ...more,
    });
    const keys = await keysOf(entropy);
    const nodeScript = await endow(operator, keys);
    await chain?.endow(keys);
    const node = await startWireNode({
      mode: ['--config', config],
      args: ['--port', String(await freePort()), '--passphrase-file', passphraseFile],
      folder,
      onStart: guard,
    });
    opened.push(() => node.stop());
    const client = await openClient(node.url, operator.url);
    const stage: Stage = {
      net,
      ours,
      theirs,
      operator,
      node,
      client,
      wallet: lightningWallet(theirs),
      nodeScript,
      entropy,
      async reached(swap, ...statuses) {
        try {
          return await until(
            `swap ${swap.id} is ${statuses.join(' or ')}`,
            async () => {
              const now = await client.status(swap);
              if (statuses.includes(now)) return now;
              throw new Error(`it is ${now}`);
            },
            { limitMs: 120_000, stepMs: 50 },
          );
        } catch (cause) {
          const { journal } = await node.owner('GET', `/owner/swaps/${swap.id}`);
          throw new Error(`${String(cause)}\n${JSON.stringify(journal)}\n${node.log.slice(-6).join('\n')}`, { cause });
        }
      },
      stop,
    };
    await until('the node can serve both directions', async () =>
      (await offers(node)).filter((most) => most >= nodeFunds / 4).length >= 2 ? true : null,
    );
    return stage;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The most that each direction takes now, in sats. */
async function offers(node: WireNode): Promise<number[]> {
  const { pairs } = (await node.get('/swap-pairs')) as unknown as { pairs: { max_sats: number }[] };
  return pairs.map(({ max_sats }) => max_sats);
}

export async function keysOf(entropy: Uint8Array): Promise<Keys> {
  return createKeys(await mnemonicToSeed(entropyToMnemonic(entropy, wordlist)), 'regtest');
}

/** Pays coins to a node's own Bitcoin wallet, and mines them. */
export async function depositTo(
  node: WireNode,
  { faucet, miner }: Pick<Chain, 'faucet' | 'miner'>,
  amount: bigint,
  count: number,
): Promise<void> {
  const balance = async () =>
    ((await node.owner('GET', '/owner/balances'))['balances'] as Json[]).find(({ network }) => network === 'bitcoin');
  await eventually(balance, (one) => one?.['available'] === '0', 60_000);
  const { address } = await node.owner('POST', '/owner/wallets/bitcoin/address', {});
  await faucet.pay(Array.from({ length: count }, () => ({ to: String(address), amount })));
  await miner.mine(1);
}

/**
 * Gives the node its coins on Arkade before it starts, so that it has them at its first look; answers where they are.
 */
export async function endow(operator: StageOperator, keys: Keys, coins = nodeCoins): Promise<Uint8Array> {
  const now = () => unix(Math.floor(Date.now() / 1_000));
  const { address, script } = await connectArkade(operator.url, {
    keys: keys.privateKey,
    clock: { wall: now, mtp: now },
    network: 'regtest',
  }).address();
  for (let i = 0; i < coins; i++) await operator.faucet(address, nodeFunds / nodeCoins);
  return script;
}
