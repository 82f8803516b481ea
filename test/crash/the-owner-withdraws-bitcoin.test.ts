import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { sats, tokenAmount } from '../../engine/domain/money.ts';
import { scriptOfAddress } from '../../engine/legs/onchain/address.ts';
import type { Runtime } from '../../engine/runtime/runtime.ts';
import { unknownActs } from '../../engine/service/reconciliation/unknown-acts.ts';
import { createBitcoinPort } from '../support/sandbox-ports/bitcoin.ts';
import type { TestNode } from '../support/node.ts';
import { startWorld, type World } from '../support/world.ts';
import { atEveryBoundary, startLives } from './support/lives.ts';

/**
 * The node dies at its k-th boundary, for every k until a run no longer has that many, while its owner takes bitcoin
 * out. Then the chain is asked who has what: the payee once what was asked for, the wallet all the rest but the fee.
 */
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
  /** What would start the node paused, at any of its starts. */
  const unknown: string[] = [];
  const beforeStart = async (runtime: Runtime): Promise<void> =>
    void unknown.push(...(await unknownActs(runtime)).map(({ shown }) => shown));
  const options = { bitcoinWallet: true, beforeStart } as const;
  const lives = await startLives({ world, folder, dieAt, name: story.name, options });
  const { alive, until } = lives;

  function jobs(living: TestNode): string[] {
    return living.store.swaps.page({ limit: 10 }).map(({ id }) => id);
  }

  try {
    const node = await alive();
    const address = await node.service.owner.walletAddress('bitcoin', { asset: null, amount: null });
    if (isRefusal(address)) throw new Error(address.sentence);
    for (const deposit of deposits) world.bitcoin.faucet(scriptOf(address.address), sats(deposit));
    await world.mine(1);

    lives.arm();
    const request = Promise.resolve(
      node.service.owner.withdraw('bitcoin', { address: payee, amount: tokenAmount(amount), asset: null }),
    ).catch(() => null);
    await until('a job, or a death', (now) => lives.hasDied || jobs(now).length > 0);
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
    lives.disarm();
    if (!lives.hasDied) await request;

    const last = await alive();
    await beforeStart(last.runtime);
    const wallet = await last.runtime.ports.bitcoinWallet?.balance([]);
    const paid = (await chain.coins([scriptOf(payee)])).map((coin) => coin.amount);
    const fee = BigInt(deposits.reduce((a, b) => a + b) - amount) - (wallet?.available ?? 0n);
    expect(
      {
        more,
        unknown,
        paid,
        pending: wallet?.pending,
        fee: fee > 0n && fee < mostFee,
        reserved: last.store.transactions.reservedCoins(),
        owed: last.store.effects.of(id),
      },
      `${story.name}, died ${lives.where} (boundary ${dieAt})`,
    ).toEqual({
      more: [],
      unknown: [],
      paid: [BigInt(amount)],
      pending: 0n,
      fee: true,
      reserved: [],
      owed: [],
    });
    return lives.passed;
  } finally {
    await lives.stop();
    world.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

test.each(stories)(
  'bitcoin is withdrawn once when $name, and the node may die at any boundary',
  { timeout: 600_000 },
  (story) => atEveryBoundary(`withdrawal, ${story.name}`, (dieAt) => run(story, dieAt)),
);
