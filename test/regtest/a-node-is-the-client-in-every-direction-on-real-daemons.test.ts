import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import { takerDirections, type TakerDirection } from '../../engine/domain/chain.ts';
import { text } from '../stories/client/http.ts';
import { eventually } from '../stories/wire-node.ts';
import { onEachPairOfStage } from './arkd/stage.ts';
import { startEvmChain, type EvmChainOfStage } from './kit/evm-chain.ts';
import { depositTo, openStage, type Stage } from './kit/stage.ts';
import { startTakingNode, type TakingNode } from './kit/taking-node.ts';

const directions: readonly TakerDirection[] = takerDirections;
const sats = 40_000;
const blockMs = 2_000;
const patienceMs = 240_000;
const limitMs = 480_000;
/** Sats of each coin of the provider's Bitcoin wallet, and how many of them it gets. */
const coins = { amount: 300_000n, count: 8 };
/** Units of the pegged token that the provider begins with. */
const tokens = 100_000_000n;

onEachPairOfStage(
  'a node is the client of another one, in every direction',
  (over) => {
    let evm: EvmChainOfStage;
    let stage: Stage;
    let taker: TakingNode;
    let blocks: NodeJS.Timeout;
    let areComing = false;

    beforeAll(async () => {
      evm = await startEvmChain(over.evm);
      stage = await openStage({ chain: evm, over: over.bitcoin });
      const { address } = await stage.node.owner('POST', `/owner/wallets/evm:${evm.chainId}/address`, {});
      await evm.give(text({ address }, 'address') as `0x${string}`, evm.pegged, tokens);
      // Median time past, by which locktimes are made and judged, comes up to the clock.
      await stage.net.mine(11);
      await depositTo(stage.node, stage.net, coins.amount, coins.count);
      taker = await startTakingNode(stage, evm);
      // Like on a quick day: many at once would bring the timeouts of payments nearer, and so would those that come
      // while nothing waits for one. What is agreed by a height is over 36 blocks later.
      let last = Promise.resolve();
      blocks = setInterval(() => {
        if (areComing) last = last.then(() => stage.net.miner.mine(1)).catch(() => undefined);
      }, blockMs);
    }, limitMs);
    afterAll(async () => {
      clearInterval(blocks);
      await taker?.stop();
      await stage?.stop();
      await evm?.stop();
    });

    /**
     * Two wait for tokens at one account, and either would take those of the other: all are opened before any is paid.
     */
    async function paidInEveryDirection(): Promise<TakerSwap[]> {
      areComing = false;
      const opened: TakerSwap[] = [];
      for (const direction of directions) opened.push(await taker.open(direction, sats));
      for (const swap of opened) await taker.pay(swap);
      areComing = true;
      return opened;
    }

    async function allEnd(swaps: readonly TakerSwap[]): Promise<void> {
      const ended = await Promise.all(
        swaps.map(({ id }) =>
          eventually(
            () => taker.swap(id),
            ({ open }) => !open,
            patienceMs,
          ),
        ),
      );
      expect(ended.map(({ direction, outcome }) => [direction, outcome])).toEqual(
        directions.map((direction) => [direction, 'finished']),
      );
      for (const { provider_swap_id: id, give, get, direction, to } of ended) {
        const record = await stage.node.until({ id: id ?? '' }, 'serverredeemed', patienceMs);
        expect([direction, record['source_amount'], record['target_amount']]).toEqual([
          direction,
          give.amount,
          get.amount,
        ]);
        if (direction === 'arkade-evm') expect(await evm.balance(evm.pegged, to.text ?? '')).toBe(BigInt(get.amount));
      }
    }

    test(
      'what was shown is what arrives',
      async () => {
        await allEnd(await paidInEveryDirection());
      },
      limitMs,
    );

    test(
      'killed once it has paid, it ends every one of them when it is back',
      async () => {
        const swaps = await paidInEveryDirection();
        areComing = false;
        await taker.node.kill('SIGKILL');
        await stage.net.miner.mine(1);
        await taker.node.start();
        areComing = true;
        await allEnd(swaps);
      },
      limitMs,
    );

    test(
      'a payee that gives the payment back: what was locked for it comes back',
      async () => {
        const failing = [
          'arkade-lightning',
          'evm-lightning',
          'bitcoin-lightning',
        ] as const satisfies readonly TakerDirection[];
        const comesBack = async (direction: TakerDirection) => {
          const { bolt11, hash } = await stage.wallet.invoice(sats, 'held');
          const swap = await taker.open(direction, sats, { bolt11 });
          await taker.pay(swap);
          await expect.poll(() => stage.wallet.invoiceState(hash), { timeout: patienceMs }).toBe('held');
          await stage.wallet.cancel(hash);
          const { outcome } = await eventually(
            () => taker.swap(swap.id),
            ({ open }) => !open,
            patienceMs,
          );
          return [direction, outcome];
        };
        areComing = true;
        expect(await Promise.all(failing.map(comesBack))).toEqual(failing.map((direction) => [direction, 'returned']));
      },
      limitMs,
    );
  },
  { short: 'none' },
);
