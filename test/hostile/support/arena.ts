import { ArkAddress } from '@arkade-os/sdk';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFlags } from '../../../main/node-flags.ts';
import { bitcoinReady, chainsReady } from '../../crash/support/chains-ready.ts';
import { chanceFrom, type Chance } from '../../crash/support/chance.ts';
import { mortalNode, type MortalNode } from '../../crash/support/mortal-node.ts';
import { openOracle, type Books, type Oracle } from '../../crash/support/oracle.ts';
import { startNetworks, type Built } from '../../crash/support/program.ts';
import type { Stage } from '../../crash/support/scenario.ts';
import type { CrashDirection } from '../../crash/support/verdict.ts';
import { openWallet } from '../../crash/support/wallet.ts';
import { longestSwap } from './honest.ts';
import { openDisk, type Disk } from './disk.ts';
import { openDoor, type Door } from './doors.ts';
import type { Gifts } from './gifts.ts';
import { inspectable } from './memory.ts';
import { openSources, type Sources } from './sources.ts';

/** The built node between its clients, its networks and its disk, each of which somebody has the worst of plans for. */
export interface Arena {
  readonly stage: Stage;
  readonly oracle: Oracle;
  readonly start: Books;
  readonly node: MortalNode;
  readonly disk: Disk;
  readonly sources: Sources;
  readonly chance: Chance;
  readonly gifts: Gifts;
  /** Whether the node may still be killed: in the rest of the run it lives, and its memory is looked at. */
  readonly isKilled: () => boolean;
  /** Changes when the node starts anew, and when time passes. */
  readonly age: () => string;
  /** Starts and ends of the node, one at a time. */
  alone(work: () => Promise<void>): Promise<void>;
  /** Directions in which an honest client got what it wanted. */
  readonly served: Set<CrashDirection>;
  /** Moves every clock. */
  pass(seconds: number): Promise<void>;
  /** The stage as a client at that address plays on it, and its door. */
  asClient(address: string): Promise<Stage & { readonly door: Door }>;
  /** From now on nobody begins anything: whoever waits to be let in goes home. */
  close(): void;
  stop(): Promise<void>;
}

export async function openArena(built: Built, seed: number, isKilled: () => boolean): Promise<Arena> {
  const chance = chanceFrom(seed);
  const networksFolder = mkdtempSync(join(tmpdir(), 'sluice-hostile-networks-'));
  const disk = openDisk();
  const closing: (() => Promise<unknown> | void)[] = [
    () => rmSync(networksFolder, { recursive: true, force: true }),
    () => disk.remove(),
  ];
  async function stop(): Promise<void> {
    for (const close of closing.splice(0).toReversed()) await close();
  }
  try {
    const { program, endpoints } = await startNetworks(built.sandbox, networksFolder);
    closing.push(() => program.stop());
    const wallet = await openWallet(endpoints, randomBytes(64));
    const sources = await openSources(endpoints, wallet.controls, chance);
    closing.push(() => sources.stop());
    const dataDir = join(disk.folder, 'data');
    sources.tell(dataDir);
    const node = mortalNode(built.headless, dataDir, [], [...nodeFlags, inspectable]);
    closing.push(() => node.stop());
    await node.start();
    const { body } = await node.ask('/owner/wallets/arkade/address', {}, true);
    const oracle = openOracle(endpoints, wallet, ArkAddress.decode(String(body['address'])).pkScript);
    closing.push(() => oracle.stop());
    const patienceMs = (since: number) => longestSwap * 1_000 + sources.doubtMs(since);
    const stage: Stage = { node, wallet, endpoints, chance, scenarios: [], patienceMs };
    await chainsReady(stage, oracle);
    await bitcoinReady(stage, oracle);
    await wallet.controls.mineOnDemand();
    const doors = new Map<string, Door>();
    closing.push(async () => {
      for (const door of doors.values()) await door.stop();
    });
    let last: Promise<unknown> = Promise.resolve();
    let passed = 0;
    let isClosed = false;
    return {
      stage,
      oracle,
      start: await oracle.balances(),
      node,
      disk,
      sources,
      chance,
      gifts: { arkade: 0n, evm: new Map() },
      served: new Set(),
      isKilled,
      age: () => `${node.readyTimes.length} ${passed}`,
      alone(work) {
        const turn = last.then(work);
        last = turn.catch(() => undefined);
        return turn;
      },
      async pass(seconds) {
        passed += 1;
        await wallet.controls.advance(seconds);
      },
      async asClient(address) {
        const door =
          doors.get(address) ??
          (await openDoor(
            () => node.url,
            address,
            () => isClosed,
          ));
        doors.set(address, door);
        return { ...stage, node: { ...node, url: door.url }, door };
      },
      close: () => void (isClosed = true),
      stop,
    };
  } catch (cause) {
    await stop();
    throw cause;
  }
}
