import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { sats, tokenAmount } from '../../engine/domain/money.ts';
import { scriptOfAddress } from '../../engine/legs/onchain/address.ts';
import { createBitcoinPort } from '../support/sandbox-ports/bitcoin.ts';
import { startNodeOn, type TestNode } from '../support/node.ts';
import { startWorld, type World } from '../support/world.ts';

/**
 * The node dies at its k-th boundary, for every k until a run no longer has that many, while its owner takes bitcoin
 * out. Then the chain is asked who has what: the payee once what was asked for, the wallet all the rest but the fee.
 */
const every = Number(process.env['CRASH_EVERY'] ?? 1);
const patienceMs = 20_000;
/** An address of BIP-173's test vectors with regtest's prefix: nobody here has its key. */
const payee = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const deposits = [60_000, 90_000];
const amount = 120_000;
const mostFee = 20_000n;

interface Story {
  readonly name: string;
  /** What happens between the withdrawal and its six blocks. */
  meanwhile(on: {
    world: World;
    waiting: () => string[];
    until: (what: string, done: (node: TestNode) => boolean) => Promise<void>;
    id: string;
  }): Promise<void>;
}

const stories: readonly Story[] = [
  { name: 'nothing happens', meanwhile: async () => undefined },
  {
    name: 'a reorganisation takes it off the chain',
    async meanwhile({ world, waiting }) {
      const [txid = ''] = waiting();
      await world.mine(2);
      world.bitcoin.reorg(2, [txid]);
    },
  },
  {
    name: 'the owner raises its fee',
    async meanwhile({ waiting, until, id }) {
      const [txid = ''] = waiting();
      await until('the replacement', (node) => {
        const { at, payment } = node.runtime.workingSet.find(id)?.row.progress as {
          at: string;
          payment?: { txid: string };
        };
        // A node that died while it heard this knows nothing of it: its owner asks again.
        if (at === 'sending' && payment?.txid === txid) void node.service.owner.bump(id);
        return waiting().length === 1 && !waiting().includes(txid);
      });
    },
  },
];

function scriptOf(address: string): Uint8Array {
  const script = scriptOfAddress(address, 'regtest');
  if (script === null) throw new Error(`not an address: ${address}`);
  return script;
}

async function run(story: Story, dieAt: number): Promise<number> {
  const world = startWorld();
  const folder = mkdtempSync(join(tmpdir(), 'sluice-crash-'));
  const chain = createBitcoinPort(world.bitcoin);
  const waiting = (): string[] => world.bitcoin.mempool().map(({ tx }) => tx.txid);
  let passed = 0;
  let armed = false;
  let where = 'nowhere';
  let node: TestNode | null = null;
  let next: Promise<TestNode> | null = null;

  function onBoundary(what: string, moment: 'before' | 'after'): void {
    if (!armed || (passed += 1) !== dieAt) return;
    armed = false;
    where = `${moment} ${what}`;
    const dying = node?.kill();
    next = (async () => {
      await dying;
      return startNodeOn(world, folder, { bitcoinWallet: true, pollMs: 25 });
    })();
  }

  async function alive(): Promise<TestNode> {
    if (next !== null) node = await next;
    if (node === null) throw new Error('no node was started');
    return node;
  }

  async function until(what: string, done: (node: TestNode) => boolean): Promise<void> {
    for (const deadline = Date.now() + patienceMs; ; await pause(3)) {
      const living = await alive();
      if (done(living)) return;
      if (Date.now() > deadline)
        throw new Error(`${story.name}: no ${what}, died ${where} (${dieAt})\n${living.logged.slice(-12).join('\n')}`);
    }
  }

  function jobs(living: TestNode): string[] {
    return living.store.swaps.page({ limit: 10 }).map(({ id }) => id);
  }

  try {
    node = await startNodeOn(world, folder, { bitcoinWallet: true, pollMs: 25, onBoundary });
    const address = await node.service.owner.walletAddress('bitcoin', { asset: null, amount: null });
    if (isRefusal(address)) throw new Error(address.sentence);
    for (const deposit of deposits) world.bitcoin.faucet(scriptOf(address.address), sats(deposit));
    await world.mine(1);

    armed = true;
    const request = Promise.resolve(
      node.service.owner.withdraw('bitcoin', { address: payee, amount: tokenAmount(amount), asset: null }),
    ).catch(() => null);
    await until('a job, or a death', (now) => next !== null || jobs(now).length > 0);
    // Nobody answered and nothing was saved: the owner asks again.
    if (jobs(await alive()).length === 0)
      await (
        await alive()
      ).service.owner.withdraw('bitcoin', { address: payee, amount: tokenAmount(amount), asset: null });
    const [id = '', ...more] = jobs(await alive());
    await until('the payment', () => waiting().length > 0);
    await story.meanwhile({ world, waiting, until, id });
    await until('the payment', () => waiting().length > 0);
    await world.mine(6);
    await until('its burial', (now) => now.at(id) === 'sent');
    armed = false;
    if (next === null) await request;

    const last = await alive();
    const wallet = await last.runtime.ports.bitcoinWallet?.balance([]);
    const paid = (await chain.coins([scriptOf(payee)])).map((coin) => coin.amount);
    const fee = BigInt(deposits.reduce((a, b) => a + b) - amount) - (wallet?.available ?? 0n);
    expect(
      {
        more,
        paid,
        pending: wallet?.pending,
        fee: fee > 0n && fee < mostFee,
        reserved: last.store.transactions.reservedCoins(),
        owed: last.store.effects.of(id),
      },
      `${story.name}, died ${where} (boundary ${dieAt})`,
    ).toEqual({
      more: [],
      paid: [BigInt(amount)],
      pending: 0n,
      fee: true,
      reserved: [],
      owed: [],
    });
    return passed;
  } finally {
    armed = false;
    await (await alive().catch(() => null))?.stop();
    world.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

test.each(stories)(
  'bitcoin is withdrawn once when $name, and the node may die at any boundary',
  { timeout: 600_000 },
  async (story) => {
    const begun = performance.now();
    let deaths = 0;
    for (let dieAt = 1; ; dieAt += every) {
      const passed = await run(story, dieAt);
      if (passed < dieAt) {
        console.log(
          `withdrawal, ${story.name}: ${passed} boundaries, ${deaths} deaths, ${((performance.now() - begun) / 1_000).toFixed(0)} s`,
        );
        expect(deaths).toBeGreaterThan(1);
        return;
      }
      deaths += 1;
    }
  },
);
