// The owner sets the prices of one direction on the page of a node: what the page says would be quoted is quoted then.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Quote } from '../../../engine/contract/records/market.ts';
import { leastPart } from '../../../engine/legs/lightning/part-cost.ts';
import { startWireNode, type WireNode } from '../../stories/wire-node.ts';
import { npmStart } from '../../support/npm-start.ts';
import { program } from '../browser.ts';
import { openNodePage, type NodePage } from './node-page.ts';

/** The sandbox’s chain asks for one satoshi per virtual byte. */
const tooSmall = `a payment below ${leastPart(1)} sats is not surely held`;

describe.skipIf(program === undefined)('prices', () => {
  let node: WireNode;
  let at: NodePage;

  beforeAll(async () => {
    node = await startWireNode({ program: npmStart.arguments, mode: [], environment: npmStart.environment });
    at = await openNodePage(node.url, node.token);
  }, 240_000);
  afterAll(async () => {
    await at?.close();
    await node?.stop();
  }, 60_000);

  async function quoted(source: string, target: string): Promise<string> {
    const query = `source_chain=${source}&source_token=btc&target_chain=${target}&target_token=btc&source_amount=100000`;
    const response = await fetch(`${node.url}/quote?${query}`);
    return ((await response.json()) as Quote).net_target_amount;
  }

  const rowOf = (name: string) =>
    at.page.getByRole('table', { name: 'Amount received for each amount sent' }).getByRole('row', { name });

  test('what the page says would be quoted is quoted once it is saved, and nothing else changes', async () => {
    await at.goTo('settings/terms');
    await rowOf('Lightning to Arkade').getByText('99,750 sats').waitFor();
    await at.page.getByRole('combobox', { name: /^Prices for/ }).click();
    await at.page.getByRole('option', { name: 'Lightning to Arkade' }).click();
    await at.page.getByLabel('Fee', { exact: true }).fill('1');
    await at.page.getByLabel('Flat fee').fill('50');
    await rowOf('Lightning to Arkade').getByText('98,950 sats').waitFor();
    expect([await quoted('Lightning', 'Arkade'), await quoted('Arkade', 'Lightning')]).toEqual(['99750', '99740']);
    await at.page.getByRole('button', { name: 'Save: Prices and limits' }).click();
    await at.page.getByText('Saved, and in force from now on.').waitFor();
    expect([await quoted('Lightning', 'Arkade'), await quoted('Arkade', 'Lightning')]).toEqual(['98950', '99740']);
  }, 60_000);

  test('a minimum that no claim would be worth is refused on the page, in the words of the node', async () => {
    await at.page.getByLabel('Smallest swap').fill('10');
    await at.page.getByText(`minSats is 10, and ${tooSmall}`).first().waitFor();
    await at.page.getByRole('button', { name: 'Save: Prices and limits' }).click();
    await expect.poll(() => at.page.getByText(tooSmall).count()).toBe(2);
    expect((await node.owner('GET', '/owner/settings'))['settings']).toMatchObject({
      terms: { directions: { 'lightning-arkade': { feeBps: 100, flatSats: 50 } } },
    });
  }, 60_000);
});
