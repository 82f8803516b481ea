// Two nodes on one world, with HTTP alone between them: the owner of the one swaps with the other, in every direction,
// on the page.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import type { TakerWays } from '../../../engine/contract/taker-ways.ts';
import { takerDirections, type TakerDirection } from '../../../engine/domain/chain.ts';
import { figureText, shown } from '../../../renderer/format/amount.ts';
import { hostOf } from '../../../renderer/format/host.ts';
import { payFromOutside } from '../../stories/pay-from-outside.ts';
import { startSecondNode } from '../../stories/second-node.ts';
import { eventually, startWireNode, type WireNode } from '../../stories/wire-node.ts';
import { npmStart } from '../../support/npm-start.ts';
import { program } from '../browser.ts';
import { openNodePage, type NodePage } from './node-page.ts';
import { make, ways, type Way } from './ways.ts';

const patienceMs = 180_000;

describe.skipIf(program === undefined)('with another node', () => {
  let provider: WireNode;
  let taker: WireNode;
  let at: NodePage;
  const ids = new Map<TakerDirection, string>();

  beforeAll(async () => {
    provider = await startWireNode({ program: npmStart.arguments, mode: [], environment: npmStart.environment });
    taker = await startSecondNode(provider);
    const offered = async () => (await taker.owner('GET', '/owner/taker/ways'))['ways'] as unknown as TakerWays['ways'];
    await eventually(
      offered,
      (all) => new Set(all.map(({ direction }) => direction)).size === takerDirections.length,
      2 * patienceMs,
    );
    at = await openNodePage(taker.url, taker.token);
  }, 240_000);
  afterAll(async () => {
    await at?.close();
    await taker?.stop();
    await provider?.stop();
  }, 60_000);

  async function swapOf(direction: TakerDirection): Promise<TakerSwap> {
    return (await taker.owner('GET', `/owner/taker/swaps/${ids.get(direction)}`)) as unknown as TakerSwap;
  }

  async function destinationOf({ target }: Way): Promise<string | null> {
    if (target === null) return null;
    return target === 'invoice' ? (await provider.invoice(25_000)).bolt11 : `0x${randomBytes(20).toString('hex')}`;
  }

  test.each(takerDirections)(
    '%s: the other node is chosen in the form, and the page shows where to pay',
    async (direction) => {
      const destination = await destinationOf(ways[direction]);
      ids.set(direction, await make(at, direction, { destination, provider: hostOf(provider.url) }));
      const swap = await swapOf(direction);
      const where = await at.page.getByTestId('pay-text').textContent();
      expect([swap.direction, swap.provider_url, where]).toEqual([direction, provider.url, swap.pay?.text]);
      await payFromOutside(provider, swap);
    },
    120_000,
  );

  test('what was shown arrives in every direction, and the other node has what was given', async () => {
    for (const direction of takerDirections) {
      await at.goTo(`swaps/${ids.get(direction)}`);
      await at.page.locator('[data-outcome=finished]').waitFor({ timeout: patienceMs });
      const { get, give, provider_swap_id: id } = await swapOf(direction);
      const { amount, decimals } = shown(get);
      const receipt = await at.page.locator('.receipt').innerText();
      const parts = [figureText(amount, decimals), 'Arrived, final', provider.url, id ?? ''];
      expect(parts.filter((part) => !receipt.includes(part))).toEqual([]);
      const record = () => provider.get(`/swap/${id}`);
      const { source_amount, target_amount } = await eventually(
        record,
        ({ status }) => status === 'serverredeemed',
        patienceMs,
      );
      expect([source_amount, target_amount]).toEqual([give.amount, get.amount]);
    }
  }, 600_000);

  test('nothing else was refused than the sandbox, once, and prices that the own node does not make', () => {
    const refused = at.complaints.filter((line) => !line.includes('status of 503'));
    expect(refused).toEqual([expect.stringContaining('status of 404')]);
  });
});
