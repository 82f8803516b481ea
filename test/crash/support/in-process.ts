import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { asSha256 } from '../../../engine/domain/hash.ts';
import { fromHex } from '../../../engine/domain/hex.ts';
import { serveEsplora } from '../../../engine/sandbox/wire/esplora.ts';
import { booksApart, openBooks } from '../../support/books.ts';
import { openClient, type Client } from '../../support/client.ts';
import { deposit } from '../../support/bitcoin-wallet.ts';
import { startEvmWorld, type EvmWorld } from '../../support/evm/world.ts';
import type { TestNode } from '../../support/node.ts';
import { createLightningPort } from '../../support/sandbox-ports/lightning.ts';
import { startWorld, type World } from '../../support/world.ts';
import { openBitcoinOracle, type BitcoinOracle } from './bitcoin-oracle.ts';
import { readBitcoin } from './bitcoin-reader.ts';
import { walletFaults } from './bitcoin-verdict.ts';
import { openEvmOracle, type EvmOracle } from './evm-oracle.ts';
import { evmConservation, movedBy } from './evm-verdict.ts';
import { startLives, type Lives } from './lives.ts';
import type { Books } from './oracle.ts';
import { serveLives } from './serve-lives.ts';
import type { Scenario } from './scenario.ts';
import { conservation, faultsOf, type CrashDirection, type Verdict } from './verdict.ts';
import { balanceAt, fatesAt, hasVhtlc, termsOf, type ArkadeRecord, type Fate } from './wallet.ts';

/** A swap that was played: whose it was, and what the client knows of it. */
export type Opened = Pick<
  Scenario,
  'hash' | 'record' | 'toEvm' | 'fromEvm' | 'toBitcoin' | 'toArkade' | 'toHtlc' | 'fromHtlc'
>;

export interface Play extends Pick<Lives, 'ask' | 'until'> {
  readonly world: World;
  readonly client: Client;
  fates(record: ArkadeRecord): Promise<Fate[]>;
  /** Null in a story without an EVM chain. */
  readonly evm: EvmPlay | null;
  /** Null in a story without a leg on the Bitcoin chain. */
  readonly bitcoin: BitcoinPlay | null;
}

export interface BitcoinPlay {
  readonly oracle: BitcoinOracle;
  readonly esplora: string;
  /** As that of an EVM chain's. */
  readonly url: string;
}

export interface EvmPlay {
  readonly world: EvmWorld;
  readonly oracle: EvmOracle;
  /** Where the node that lives answers over HTTP; one that died in between does not answer. */
  readonly url: string;
}

export interface MortalStory {
  readonly direction: CrashDirection;
  readonly name: string;
  play(on: Play): Promise<Opened>;
}

/** On a chain looks are many and nothing is lost with one: only what is saved and what leaves the node counts. */
const acts = /^(commit|evm\.\w+|ark\.(submitTx|finalizeTx)|lightning\.pay|bitcoin\.broadcast(Package)?)$/;
/** Coins of the node's Bitcoin wallet, in stories on that chain. */
const ownCoins = [300_000, 400_000];
const settleMs = 60;

/** One run with a death at boundary `dieAt`; answers how many boundaries there were until it died, or at all. */
export async function playMortal(story: MortalStory, dieAt: number): Promise<number> {
  const isOnEvm = story.direction.includes('evm');
  const isOnBitcoin = story.direction.includes('bitcoin');
  const world = startWorld();
  const folder = mkdtempSync(join(tmpdir(), 'sluice-crash-'));
  const ending: (() => Promise<unknown>)[] = [];
  try {
    const chain = isOnEvm ? await startEvmWorld(() => world.now()) : null;
    if (chain !== null) ending.push(() => chain.stop());
    const lives = await startLives({
      world,
      folder,
      dieAt,
      name: story.name,
      options: {
        ...(chain === null ? {} : { evm: chain }),
        ...(isOnBitcoin ? { bitcoinWallet: true as const } : {}),
      },
      ...(isOnEvm || isOnBitcoin ? { counts: (what: string) => acts.test(what) } : {}),
    });
    ending.push(() => lives.stop());
    return await playWith(story, { world, chain, lives, dieAt, ending });
  } finally {
    for (const end of ending.reverse()) await end();
    world.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function playWith(
  { direction, name, play }: MortalStory,
  {
    world,
    chain,
    lives,
    dieAt,
    ending,
  }: { world: World; chain: EvmWorld | null; lives: Lives; dieAt: number; ending: (() => Promise<unknown>)[] },
): Promise<number> {
  const client = await openClient(world);
  const { signer: operator } = await client.port.info();
  const lightning = createLightningPort(world.lightning);
  const node = await lives.alive();
  const { script: nodeScript } = await node.ports.arkade!.address();
  const { script: clientScript } = await client.port.address();
  const fates = (record: ArkadeRecord) => fatesAt(client.port, termsOf(record, operator));
  const served = async (): Promise<string> => {
    const server = await serveLives(lives);
    ending.push(() => server.stop());
    return server.url;
  };
  let evm: EvmPlay | null = null;
  if (chain !== null) {
    const oracle = openEvmOracle({ evm: { '137': chain.endpoints } });
    oracle.know(nodeAccount(node));
    evm = { world: chain, oracle, url: await served() };
  }
  let bitcoin: BitcoinPlay | null = null;
  if (direction.includes('bitcoin')) {
    const esplora = await serveEsplora(world.bitcoin, 0);
    ending.push(() => esplora.stop());
    const oracle = openBitcoinOracle(readBitcoin(esplora.url));
    bitcoin = { oracle, esplora: esplora.url, url: evm?.url ?? (await served()) };
    await asSoonAsRead(() => deposit({ world, node }, ...ownCoins));
    const first = (await oracle.reader.transactions()).flatMap((transaction) => transaction.outputs);
    oracle.know(
      first.flatMap(({ address, amount }) => (ownCoins.includes(Number(amount)) && address !== null ? [address] : [])),
    );
  }

  async function balances(): Promise<Books> {
    const { node: own, outgoing, incoming } = world.balances();
    return {
      lightningMsat: own,
      unsettledMsat: outgoing + incoming,
      arkade: await balanceAt(client.port, nodeScript),
      client: await balanceAt(client.port, clientScript),
      evm: (await evm?.oracle.holdings()) ?? new Map(),
    };
  }

  async function walletOf(living: TestNode, opened: Opened): Promise<string[]> {
    const stated = await living.runtime.ports.bitcoinWallet?.balance([]);
    if (bitcoin === null || stated === undefined) return [];
    return walletFaults(await bitcoin.oracle.trace([opened.record]), stated.available + stated.pending);
  }

  async function verdict(opened: Opened): Promise<Verdict> {
    const key = asSha256(fromHex(opened.hash));
    const leg = await evm?.oracle.legOf(opened);
    const onBitcoin = await bitcoin?.oracle.legOf(opened.record);
    return {
      direction,
      scenario: opened,
      coins: hasVhtlc(opened.record) ? await fates(opened.record) : [],
      hold: direction.startsWith('lightning-') ? (await lightning.hold(key)).is : null,
      payment: direction.endsWith('-lightning') ? await lightning.payment(key) : null,
      ...(leg === undefined ? {} : { evm: leg }),
      ...(onBitcoin === undefined ? {} : { bitcoin: onBitcoin }),
    };
  }

  const start = await balances();
  await openBooks(node);
  lives.arm();
  const opened = await play({ world, client, fates, evm, bitcoin, ask: lives.ask, until: lives.until });
  lives.disarm();
  const oracle = evm?.oracle ?? null;
  if (oracle !== null) await lives.until('an account at rest', async () => (await oracle.faults()).length === 0);
  const judged = await verdict(opened);
  const paid = new Map(
    world.lightning
      .payments('node')
      .filter(({ outcome }) => outcome === 'settled')
      .map(({ hash, amountMsat, feeMsat }) => [hash, { count: 1, msat: amountMsat + feeMsat }]),
  );
  const now = await balances();
  const faults = [...faultsOf(judged), ...conservation(start, now, [judged], paid)];
  if (oracle !== null && judged.evm !== undefined && 'evm_chain_id' in opened.record)
    faults.push(...evmConservation(start.evm, now.evm, movedBy(opened.record, judged.evm)));
  faults.push(...(await walletOf(await lives.alive(), opened)), ...(await booksApart(await lives.alive())));
  expect(faults, `${name}, died ${lives.where} (boundary ${dieAt})`).toEqual([]);

  const { id } = opened.record;
  const stateOf = async (living: TestNode) => ({
    balances: await balances(),
    verdict: await verdict(opened),
    record: living.service.swap(id),
  });
  const before = await stateOf(await lives.alive());
  const last = await lives.startAgain();
  await pause(settleMs);
  expect(await stateOf(last), `${name}, died ${lives.where}: a second recovery changes nothing`).toEqual(before);
  return lives.passed;
}

function nodeAccount({ ports }: TestNode): string {
  const account = ports['evm:137']?.account();
  if (account === undefined) throw new Error('the node has no account on chain 137');
  return `0x${Buffer.from(account).toString('hex')}`;
}

/** A node that has just begun may not have asked its wallet yet, and says so. */
async function asSoonAsRead(act: () => Promise<unknown>): Promise<void> {
  for (const deadline = performance.now() + 30_000; ; await pause(20))
    try {
      await act();
      return;
    } catch (cause) {
      if (!String(cause).includes('try again') || performance.now() > deadline) throw cause;
    }
}
