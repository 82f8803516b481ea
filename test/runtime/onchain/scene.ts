import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { bitcoinWallet } from '../../../engine/adapters/bitcoin/wallet.ts';
import { createKeys } from '../../../engine/adapters/keys/keys.ts';
import { noSats, plus, sats, type Sats } from '../../../engine/domain/money.ts';
import type { Outpoint } from '../../../engine/domain/outpoint.ts';
import { unix, type Locktime } from '../../../engine/domain/time.ts';
import { scriptOfAddress } from '../../../engine/legs/onchain/address.ts';
import type { SavedSend } from '../../../engine/legs/onchain/wallet-port.ts';
import type { BitcoinPort } from '../../../engine/legs/onchain/port.ts';
import type { OnlyIf } from '../../../engine/legs/only-if.ts';
import { publicKeyOf } from '../../../engine/legs/secp256k1.ts';
import type { KeyRef } from '../../../engine/legs/signer.ts';
import type { Ports } from '../../../engine/runtime/ports.ts';
import type { UnpaidCosts } from '../../../engine/runtime/unpaid.ts';
import type { AnyMachine } from '../../../engine/runtime/working-set.ts';
import type { BitcoinWorld } from '../../../engine/sandbox/world/bitcoin/chain.ts';
import { createBitcoin } from '../../../engine/sandbox/world/bitcoin/chain.ts';
import { createTime } from '../../../engine/sandbox/world/clock.ts';
import { bitcoinConsolidation } from '../../../engine/swap/jobs/consolidation-bitcoin.ts';
import { bitcoinWithdrawal } from '../../../engine/swap/jobs/withdrawal-bitcoin.ts';
import { broadcastEffect } from '../../../engine/swap/halves/broadcast.ts';
import type { Effect, Event, Watch } from '../../../engine/swap/machine.ts';
import { startOfTests } from '../../sandbox/worlds.ts';
import { newFolder, openStore, swapRow } from '../../store/support.ts';
import { memoryJournal } from '../../support/memory-journal.ts';
import { seedOf, testConfig } from '../../support/node.ts';
import { createBitcoinPort, type Estimates } from '../../support/sandbox-ports/bitcoin.ts';
import type { RulesOf } from '../../../engine/runtime/networks/evm/rules.ts';
import { memoryLog } from '../support.ts';
import { hash160Of } from '../../../engine/legs/secret.ts';
import { runtimeOf } from '../../support/runtime.ts';
import { secret } from './support.ts';

type Spend = Effect & { do: 'htlc.spend' };

/** What the swap of a test does: how its funding is sent, which coin it takes, what it watches. */
export interface Script {
  readonly push?: Sats;
  readonly onlyIf?: OnlyIf;
  /** When the client has back what it gave, if its funding came too late. */
  readonly cancelBy?: Locktime;
  readonly spend?: Spend;
  readonly watches?: readonly Watch[];
  /**
   * On the first claim of the coin that it funded, which holds so much, it keeps that in the mempool instead of
   * everything before. The coin is watched by its name, as by every swap: one that is claimed between two looks is
   * listed in neither.
   */
  readonly resends?: Sats;
}

interface Progress {
  readonly at: string;
  readonly events: readonly Event[];
}

function broadcastOf({ payment, height }: Event & { is: 'htlc.prepared' }, script: Script): Effect {
  const { txid, coins, change, rate } = payment;
  const [first] = coins;
  if (first === undefined || change === null) throw new Error('a funding has coins and change');
  return {
    do: 'onchain.broadcast',
    leg: 'bitcoin',
    txid,
    spends: first.outpoint,
    amount: coins.reduce((sum, { amount }) => plus(sum, amount), noSats),
    rate,
    capped: true,
    since: height,
    push: { change: { outpoint: { txid, vout: 1 }, ...change }, mostFee: script.push ?? sats(20_000) },
    ...(script.onlyIf === undefined
      ? {}
      : { onlyIf: script.onlyIf, cancel: { coin: first, holds: sats(60_000), by: script.cancelBy ?? unix(0) } }),
    ...(script.onlyIf === undefined || script.cancelBy === undefined ? {} : { deadline: script.onlyIf.notAfter }),
  };
}

/** What made the coin, as it was read for the first claim of it. */
function fundingIn(events: readonly Event[]): { readonly funding?: Uint8Array } {
  const prepared = events.find(({ is }) => is === 'onchain.prepared');
  return prepared?.is === 'onchain.prepared' && prepared.funding !== undefined ? { funding: prepared.funding } : {};
}

/** A swap that does as its script says, and writes down what it hears. */
const scripted: AnyMachine = {
  name: 'scripted',
  shape: {
    terms: { version: 1, read: (value: unknown) => value as never },
    progress: { version: 1, read: (value: unknown) => value as { readonly at: string } },
  } as AnyMachine['shape'],
  step(terms, progress, event) {
    const script = terms as unknown as Script;
    const { at, events } = progress as Progress;
    const note = (next: string, ...effects: Effect[]) => ({
      progress: { at: next, events: [...events, event] } as Progress,
      effects,
    });
    switch (event.is) {
      case 'htlc.prepared':
        return note('sending', broadcastOf(event, script));
      case 'onchain.prepared':
        // What is raised was sent before.
        return note(
          'sending',
          broadcastEffect(script.spend?.coin as Outpoint, event, at === 'raising' ? undefined : script.onlyIf),
        );
      case 'onchain.stuck':
        return note('raising', { ...(script.spend as Spend), ...fundingIn(events), leastRate: event.leastRate });
      case 'onchain.final':
      case 'onchain.refused':
      case 'htlc.refused':
        return note(`over: ${event.is}`);
      case 'htlc.seen': {
        const claim = event.coins.find(({ spend }) => spend?.by === 'claim');
        if (script.resends === undefined || at === 'resending' || claim?.spend?.by !== 'claim') return 'stay';
        const { outpoint: coin, spend } = claim;
        return {
          ...note('resending', { do: 'htlc.resend', coin, bytes: spend.bytes }),
          interrupts: ['bitcoin'] as const,
        };
      }
      default:
        return 'stay';
    }
  },
  watches(terms, progress) {
    const { watches = [], resends } = terms as unknown as Script;
    const prepared = (progress as Progress).events.find(({ is }) => is === 'htlc.prepared');
    if (resends === undefined || prepared?.is !== 'htlc.prepared') return watches;
    const coins = [{ outpoint: prepared.output, amount: resends }];
    return watches.map((watch) => (watch.on === 'htlc' ? { ...watch, coins } : watch));
  },
  deadline: () => null,
  status: () => 'pending',
  open: () => true,
  reserves: () => false,
  untold: () => false,
  hash160: () => hash160Of(secret),
  nextAction: () => '',
};

export interface SceneOptions {
  readonly world?: BitcoinWorld;
  readonly folder?: string;
  readonly estimates?: Estimates;
  /** What the node is told instead of what the chain says. */
  readonly lying?: (port: BitcoinPort) => Partial<BitcoinPort>;
  /** Its database was noticed to be older than what happened. */
  readonly restored?: true;
  /** What its swaps cost that bring no fee. */
  readonly unpaid?: UnpaidCosts;
  /** Other networks. */
  readonly ports?: Partial<Ports>;
  /** What gas may cost on EVM chains. */
  readonly evm?: RulesOf;
  /** Seconds that the wall of the node is ahead. */
  readonly skew?: () => number;
}

export function newWorld(): BitcoinWorld {
  const journal = memoryJournal();
  return createBitcoin({ journal, time: createTime(journal, () => startOfTests), startHeight: 150 });
}

const keys = createKeys(seedOf(1), 'regtest');
/** Our key in the HTLCs of these tests. */
export const swapKey: KeyRef = { branch: 'swap', index: 7 };
export const ours = publicKeyOf(keys.privateKey(swapKey));

/** A node with a Bitcoin wallet and nothing else, on a chain that mines when it is told to. */
export async function bitcoinScene({
  world = newWorld(),
  folder,
  estimates = {},
  lying,
  restored,
  ports = {},
  unpaid,
  evm,
  skew = () => 0,
}: SceneOptions = {}) {
  const { store, db, folder: dataDir } = openStore(folder);
  const honest = createBitcoinPort(world, undefined, estimates);
  const bitcoin: BitcoinPort = { ...honest, ...lying?.(honest) };
  const { log, lines } = memoryLog();
  const { counters } = store;
  const wallet = bitcoinWallet({
    bitcoin,
    network: 'regtest',
    keys: keys.privateKey,
    indexes: { taken: (branch) => counters.peek(branch), take: (branch, floor) => counters.take(branch, floor) },
  });
  const runtime = runtimeOf({
    store,
    machines: [scripted, ...([bitcoinConsolidation, bitcoinWithdrawal] as unknown as readonly AnyMachine[])],
    ports: { arkade: null, lightning: null, bitcoin, bitcoinWallet: wallet, ...ports },
    wall: () => unix(world.clock.now() + skew()),
    log,
    pollMs: 10,
    tipMs: 10,
    ceilings: () => testConfig().ceilings,
    random: () => 0,
    ...(unpaid === undefined ? {} : { unpaid }),
    ...(evm === undefined ? {} : { evm }),
  });
  if (restored === true) store.intents.noteOpen([{ name: 'scripted', notes: ['payment', 'refund'] }]);
  let stopped = false;
  async function stop(): Promise<void> {
    if (stopped) return;
    stopped = true;
    await runtime.stop();
    db.close();
  }
  onTestFinished(stop);
  await runtime.start();
  const waker = setInterval(() => runtime.outbox.wake(), 50);
  onTestFinished(async () => clearInterval(waker));
  let swaps = store.counters.peek('swap');

  return {
    world,
    store,
    runtime,
    wallet,
    lines,
    folder: dataDir,
    stop,
    /** Confirmed coins for the wallet. */
    async deposit(...amounts: number[]): Promise<void> {
      for (const amount of amounts)
        world.faucet(scriptOfAddress(await wallet.address(), 'regtest') ?? new Uint8Array(), sats(amount));
      world.mine(1);
    },
    /** What is on the disk now, as a process that dies here leaves it. */
    image(): string {
      const copy = newFolder();
      for (const part of ['', '-wal']) {
        const file = join(dataDir, `sluice.db${part}`);
        if (existsSync(file)) copyFileSync(file, join(copy, `sluice.db${part}`));
      }
      return copy;
    },
    open(script: Script, effects: readonly Effect[], knowing: 'the secret' | 'nothing' = 'nothing'): string {
      swaps += 1;
      const id = `a0000000-0000-4000-8000-0000000000${swaps + 10}`;
      const createdAt = unix(world.clock.now());
      const row = swapRow({
        id,
        machine: 'scripted',
        createdAt,
        terms: script as object,
        progress: { at: 'open', events: [] } as Progress,
      });
      if (knowing === 'the secret') store.preimages.keep(hash160Of(secret), secret, createdAt);
      return runtime.commits.open(id, () => ({ row, effects })).row.id;
    },
    at: (id: string): string => runtime.workingSet.find(id)?.row.progress.at ?? '',
    events: (id: string): readonly Event[] =>
      (runtime.workingSet.find(id)?.row.progress as Progress | undefined)?.events ?? [],
    heard<I extends Event['is']>(id: string, is: I): readonly (Event & { is: I })[] {
      return this.events(id).filter((event): event is Event & { is: I } => event.is === is);
    },
    rows: (id: string) =>
      store.transactions.of(id).map(({ txid, purpose, state, replaces }) => ({ txid, purpose, state, replaces })),
    /** Of the transaction that was funded with. */
    payment(id: string): SavedSend {
      const [prepared] = this.heard(id, 'htlc.prepared');
      if (prepared === undefined) throw new Error('nothing was funded');
      return prepared.payment;
    },
    fees: (id: string): readonly string[] =>
      store.journal.of(id).flatMap(({ event }) => (event.includes('sats per vbyte') ? [event] : [])),
    flag: (id: string): string | null => runtime.workingSet.find(id)?.row.flag ?? null,
  };
}

export type BitcoinScene = Awaited<ReturnType<typeof bitcoinScene>>;
