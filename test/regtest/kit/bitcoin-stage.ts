// A node of ours whose swaps have a leg on the Bitcoin chain, over the JSON-RPC of a real Bitcoin node: for stories.
//
// The sandbox's Arkade operator stands on the same chain; an anvil is there where a story brings one. No lnd.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openArkade, type ArkadeClient } from '../../stories/client/arkade.ts';
import type { Json } from '../../stories/client/http.ts';
import { eventually, startWireNode, type WireNode } from '../../stories/wire-node.ts';
import { startChain, type Chain } from './chain.ts';
import { freePort, guard } from './daemon.ts';
import type { EvmChainOfStage } from './evm-chain.ts';
import { nodeFiles, type Settings } from './node-files.ts';
import type { BitcoinKind } from './on-daemons.ts';
import { startOperator, type StageOperator } from './operator.ts';
import { depositTo, endow, keysOf } from './stage.ts';

export interface BitcoinStage {
  readonly chain: Chain;
  readonly operator: StageOperator;
  readonly node: WireNode;
  /** The client's half of Arkade. */
  readonly arkade: ArkadeClient;
  /** Where the node keeps its Arkade coins. */
  readonly nodeScript: Uint8Array;
  /** Of the node's words. */
  readonly entropy: Uint8Array;
  /** A node reads this when it starts the next time. */
  configure(more: Settings): void;
  /** Pays coins to the node's own Bitcoin wallet, and mines them. */
  deposit(amount: bigint, count: number): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Blocks cannot be stamped further ahead than two hours: locktimes that are over within half an hour can be waited out.
 * A swap that is opened while median time past is ahead of the clock is refused, so that what a story waits out it
 * opens before.
 */
export const shortLegs = {
  fundingWindowSeconds: 180,
  marginSeconds: 360,
  serviceLegSeconds: 1_200,
  clientLegSeconds: 1_560,
  longestLegSeconds: 86_400,
};
/** Seconds after which every locktime of a swap that was opened before is over. */
export const allLocktimes = 4_000;

export async function openBitcoinStage(options: {
  /** Which Bitcoin node; btcd when left out. */
  over?: BitcoinKind;
  /** What more is written into the configuration. */
  more?: Settings;
  evm?: EvmChainOfStage;
  /**
   * So many coins of the node's at the operator, each of which can be brought to the chain; when left out many, of
   * which none can.
   */
  exitable?: number;
}): Promise<BitcoinStage> {
  const chain = await startChain(options.over === undefined ? {} : { over: options.over });
  const opened: (() => Promise<unknown>)[] = [() => chain.stop()];
  async function stop(): Promise<void> {
    for (const close of opened.splice(0).reverse()) await close();
  }
  try {
    // The first blocks are ten minutes apart: median time past, by which locktimes are made and judged, comes up to the
    // clock.
    await chain.miner.mine(11);
    const operator = await startOperator(
      chain.node,
      join(chain.folder, 'operator'),
      options.exitable === undefined ? undefined : chain.faucet,
    );
    opened.push(() => operator.stop());
    const settings = { arkade: { url: operator.url }, timing: shortLegs, evm: options.evm?.config ?? {} };
    const files = await nodeFiles(chain.folder, chain.node, { ...settings, ...options.more });
    const keys = await keysOf(files.entropy);
    const nodeScript = await endow(operator, keys, options.exitable);
    await chain.miner.mine(1);
    await options.evm?.endow(keys);
    const node = await startWireNode({
      mode: ['--config', files.config],
      args: ['--port', String(await freePort()), '--passphrase-file', files.passphraseFile],
      folder: files.folder,
      onStart: guard,
    });
    opened.push(() => node.stop());
    return {
      chain,
      operator,
      node,
      nodeScript,
      entropy: files.entropy,
      arkade: await openArkade(operator.url, randomBytes(32)),
      configure: (more) => files.configure({ ...settings, ...more }),
      deposit: (amount, count) => depositTo(node, chain, amount, count),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Until the node offers a pair, for at least so many sats. */
export async function offered(
  { node }: Pick<BitcoinStage, 'node'>,
  pair: { source: string; target: string; sats: number },
) {
  await eventually(
    () => node.get('/swap-pairs'),
    ({ pairs }) =>
      (pairs as Json[]).some(
        ({ source, target, max_sats }) =>
          source === pair.source && target === pair.target && Number(max_sats) >= pair.sats,
      ),
    60_000,
  );
}
