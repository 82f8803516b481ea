// Each network goes away while a swap is open: the page says which, what it means and what still works, and the swap
// ends well.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Doctor } from '../../../engine/contract/owner/doctor.ts';
import type { OwnerStatus } from '../../../engine/contract/owner/status.ts';
import type { TakerDirection } from '../../../engine/domain/chain.ts';
import type { TakerSwaps } from '../../../engine/contract/taker-swap.ts';
import { networkName } from '../../../renderer/format/networks.ts';
import { words } from '../../../renderer/words/words.ts';
import { program } from '../browser.ts';
import { firstBooks, movesOf, ownFees, readBooks, unexplained, type Books, type Move } from './books.ts';
import { startWalk, type Walk } from './walk.ts';
import { make, pay, walked, ways } from './ways.ts';

interface Outage {
  readonly network: string;
  readonly path: string;
  readonly away: object;
  readonly back: object;
  /** The swap that is open; it is paid while the network is away. */
  readonly direction: TakerDirection;
  /** A direction that does not need the network; null where every one needs it. */
  readonly works: TakerDirection | null;
  /** Blocks come ten minutes apart: only after a longer silence is their source away. */
  readonly silentSeconds?: number;
}

const outages: readonly Outage[] = [
  {
    ...{ network: 'arkade', path: 'arkade', away: { operator: 'away' }, back: { operator: 'back' } },
    ...{ direction: 'lightning-arkade', works: 'evm-bitcoin' },
  },
  {
    ...{ network: 'lightning', path: 'lightning', away: { node: 'away' }, back: { node: 'back' } },
    ...{ direction: 'arkade-lightning', works: 'bitcoin-arkade' },
  },
  {
    ...{ network: 'bitcoin', path: 'bitcoin', away: { source: 'away' }, back: { source: 'back' } },
    ...{ direction: 'bitcoin-arkade', works: null, silentSeconds: 180 },
  },
];

const patient = { timeout: 60_000, interval: 250 };

describe.skipIf(program === undefined)('a network that is away', () => {
  let walk: Walk;
  let before: Books;
  const moves: Move[] = [];
  beforeAll(async () => {
    walk = await startWalk();
    before = await firstBooks(walk);
  }, 180_000);
  afterAll(() => walk?.stop(), 60_000);
  // What failed in between leaves no network away for the next one.
  afterEach(async () => {
    for (const outage of outages) await fault(outage, outage.back);
    await walk.control('POST', '/sandbox/evm/137/fault', { rpc: 'back' });
  });

  const fault = ({ path }: Outage, body: object) => walk.control('POST', `/sandbox/${path}/fault`, body);

  /** What the node answers to a new swap of the direction, as a client of its own. */
  async function create(direction: TakerDirection): Promise<string> {
    const order: Record<string, unknown> = { direction, amount_sats: 50_000 };
    if (direction.includes('evm')) order['evm_chain_id'] = 137;
    if (direction.endsWith('-evm')) order['target_address'] = `0x${'12'.repeat(20)}`;
    if (direction.endsWith('-lightning')) {
      const body = { amount_sats: 50_000 };
      const { bolt11 } = await walk.control<{ bolt11: string }>('POST', '/sandbox/lightning/invoice', body);
      order['invoice'] = bolt11;
    }
    return walk.control<{ id: string }>('POST', '/owner/taker/swaps', order).then(
      () => 'made',
      (refusal: Error) => refusal.message,
    );
  }

  /**
   * Where nobody would see a payment the page shows no place for one; whoever has the address or the invoice already
   * pays all the same.
   */
  async function payMeanwhile({ network, direction }: Outage, id: string): Promise<void> {
    if (network === 'lightning') return pay(walk, ways[direction].payer);
    await walk.page.getByText(words.oneSwap.notNow).waitFor();
    expect(await walk.page.getByRole('button', { name: /^Pay from the sandbox/ }).count()).toBe(0);
    const { pay: due } = await walk.swap(id);
    if (due?.kind === 'invoice') await walk.control('POST', '/sandbox/lightning/pay', { bolt11: due.text });
    else if (due?.kind === 'bitcoin') {
      await walk.control('POST', '/sandbox/bitcoin/faucet', { address: due.text, amount: Number(due.amount) });
      await walk.control('POST', '/sandbox/bitcoin/mine', { blocks: 1 });
    } else throw new Error(`swap ${id} asks for no payment that can be made now`);
  }

  const states = async () => {
    const { networks } = await walk.control<OwnerStatus>('GET', '/owner/status');
    return networks.filter(({ state }) => state === 'away').map(({ name }) => name);
  };

  test.each(outages)(
    '$network goes: the page says so and what goes on, and the swap ends well once it is back',
    async (outage) => {
      const { page, control } = walk;
      const { direction, silentSeconds = 0 } = outage;
      const { payer } = ways[direction];
      const id = await make(walk, direction);
      await fault(outage, outage.away);
      if (silentSeconds > 0) await control('POST', '/sandbox/clock/advance', { seconds: silentSeconds });
      await expect.poll(states, patient).toEqual([outage.network]);
      await payMeanwhile(outage, id);

      // A press that failed for it has an alert of its own.
      const banner = page.locator('.note:not([role=alert])');
      const note = banner.filter({ hasText: words.away.title([networkName(outage.network)]) });
      await note.waitFor();
      const { networks } = await control<OwnerStatus>('GET', '/owner/status');
      const others = networks.filter(({ state }) => state === 'connected').map(({ name }) => networkName(name));
      const { swaps } = await control<TakerSwaps>('GET', '/owner/taker/swaps?show=open');
      const waiting = swaps.filter(({ give, get }) => [give.network, get.network].includes(outage.network)).length;
      for (const sentence of [words.away.yours(waiting), words.away.refused, words.away.works(others)])
        await note.getByText(sentence).waitFor();
      expect((await walk.swap(id)).outcome).toBe(null);

      expect(await create(direction)).toMatch(/is refused with 503: .*(does not answer|is away|cannot be reached)/);
      if (outage.works !== null) expect(await create(outage.works)).toBe('made');

      await fault(outage, outage.back);
      const outcome = async () => {
        await control('POST', '/sandbox/bitcoin/mine', { blocks: 1 });
        return (await walk.swap(id)).outcome;
      };
      await expect.poll(outcome, patient).toBe('finished');
      await note.waitFor({ state: 'detached' });
      await walk.goTo(`swaps/${id}`);
      await page.locator('[data-outcome=finished]').waitFor();
      const swap = await walk.swap(id);
      moves.push(...movesOf(swap, payer), ...(await ownFees(walk, swap)));
    },
    180_000,
  );

  test('one of two RPCs of an EVM chain goes: status and doctor name it, and the swap ends well', async () => {
    const { control } = walk;
    const id = await make(walk, 'arkade-evm');
    await control('POST', '/sandbox/evm/137/fault', { rpc: 'away' });
    await pay(walk, 'outside');
    const detail = async () => {
      const { networks } = await control<OwnerStatus>('GET', '/owner/status');
      return networks.find(({ name }) => name === 'evm:137')?.detail ?? '';
    };
    await expect.poll(detail, patient).toMatch(/^1 of 2 RPCs answer\. .*\(entry 1\) cannot be asked/);
    expect(await states()).toEqual([]);
    const { rows } = await control<Doctor>('GET', '/owner/doctor');
    const wrong = rows.filter(({ network, result }) => network === 'evm:137' && result === 'fail');
    expect(wrong.map(({ sentence }) => sentence)).toContainEqual(expect.stringMatching(/is away.*\(entry 1\)/));
    expect(await create('arkade-evm')).toBe('made');
    // Within one RPC's word its claim waits for nobody; that it is final takes both.
    await expect.poll(async () => (await walk.swap(id)).phase, patient).toBe('claim');
    await control('POST', '/sandbox/evm/137/fault', { rpc: 'back' });
    await expect.poll(async () => (await walk.swap(id)).outcome, patient).toBe('finished');
    moves.push(...movesOf(await walk.swap(id), 'outside'));
  }, 120_000);

  test('nothing was lost, and every network is open for new swaps', async () => {
    const rest = async () => {
      await walk.control('POST', '/sandbox/bitcoin/mine', { blocks: 1 });
      return unexplained(before, await readBooks(walk), moves);
    };
    await expect.poll(rest, patient).toEqual([]);
    for (const direction of walked) await expect.poll(() => create(direction), patient).toBe('made');
    expect(walk.complaints).toEqual([]);
  }, 120_000);
});
