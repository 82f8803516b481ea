import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Checklist, ChecklistStep } from '../../../engine/contract/owner/checklist.ts';
import { program } from '../browser.ts';
import { openFixturePage, type FixturePage } from './fixture-page.ts';
import { shellFixtures, status, swap, walletFixtures } from './fixtures.ts';

const bake = 'lncli bakemacaroon --save_to sluice.macaroon uri:/lnrpc.Lightning/GetInfo';

function step(over: Partial<ChecklistStep> & Pick<ChecklistStep, 'id' | 'part'>): ChecklistStep {
  return { state: 'todo', needed: false, sentence: `Seen of ${over.id}.`, warnings: [], ...over };
}

const steps: ChecklistStep[] = [
  step({
    id: 'seed',
    part: 'seed',
    needed: true,
    sentence: 'The node opened its seed, but nobody compared the words on paper with it.',
    act: 'Type the words and the passphrase once.',
    command: 'npm run seed -- verify --data-dir /srv/sluice',
  }),
  step({ id: 'bundle', part: 'bundle', sentence: 'The rescue bundle is in the data folder alone.' }),
  step({ id: 'machine', part: 'machine', state: 'done', needed: true, warnings: ['83 MB are free.'] }),
  step({ id: 'bitcoin', part: 'network', network: 'bitcoin', state: 'failed', needed: true }),
  step({ id: 'lightning', part: 'network', network: 'lightning', act: 'Run the command.', command: bake }),
  step({ id: 'arkade', part: 'network', network: 'arkade', state: 'done', needed: true }),
  step({ id: 'evm', part: 'network', sentence: 'No EVM chain is connected.' }),
  step({
    id: 'contracts:evm:137',
    part: 'contracts',
    network: 'evm:137',
    state: 'failed',
    needed: true,
    command: 'npm run deploy-contracts -- --rpc https://rpc.example --chain 137 --key-file FILE',
  }),
  step({
    id: 'liquidity:arkade',
    part: 'liquidity',
    network: 'arkade',
    deposits: [{ asset: 'btc', symbol: 'BTC', decimals: 8, least: '1000', most: '10000000' }],
  }),
  step({ id: 'prices', part: 'prices' }),
  step({ id: 'alerts', part: 'alerts' }),
  step({ id: 'rehearsal:arkade-lightning', part: 'rehearsal', direction: 'arkade-lightning', act: 'Swap it.' }),
  step({ id: 'rehearsal:bitcoin-arkade', part: 'rehearsal', direction: 'bitcoin-arkade', act: 'Swap it.' }),
  step({ id: 'boltz', part: 'wallets', state: 'done', address: 'https://swaps.example' }),
  step({ id: 'live', part: 'live' }),
];

const settings = {
  network: 'mainnet',
  sandbox: false,
  lnd: null,
  bitcoin: { core: null, esplora: [] },
  arkade: { url: 'https://arkade.example', maxExposureSats: 0 },
  evm: {},
  terms: { feeBps: 25, minSats: 1_000, maxSats: 10_000_000 },
  alerts: { webhookUrl: null },
  rescue: { copyTo: null },
  boltz: { enabled: true },
};

const row = (check: string, result: 'pass' | 'warn' | 'fail', sentence: string) => ({
  network: 'lightning',
  check,
  result,
  sentence,
});

describe.skipIf(program === undefined)('the checklist', () => {
  let fixture: FixturePage;
  let answer: Checklist;
  const fixtures = {
    ...shellFixtures([], false),
    ...walletFixtures,
    'GET /owner/status': () => ({ ...status, live: answer.live }),
    'GET /owner/settings': { settings },
    'GET /owner/checklist': () => answer,
    'PATCH /owner/settings': { settings },
    'POST /owner/wallets/arkade/address': { address: 'tark1qexample' },
  };

  beforeAll(async () => {
    fixture = await openFixturePage();
  }, 120_000);
  afterAll(() => fixture.close());

  async function open(over: Partial<Checklist> = {}, more: object = {}, width = 1_280): Promise<void> {
    answer = { live: false, ready: false, steps, ...over };
    await fixture.open('provide', { ...fixtures, ...more }, { width });
    await fixture.page.getByRole('heading', { name: 'Rehearsals', exact: true }).first().waitFor();
  }
  const button = (name: string | RegExp) => fixture.page.getByRole('button', { name, exact: true });
  const says = (text: string | RegExp) => fixture.page.getByText(text).first().waitFor();
  const line = (title: string) =>
    fixture.page.locator('.probe', { has: fixture.page.getByRole('heading', { name: title }) });

  test('says of each step what was seen, what is next, and the command before there is a macaroon', async () => {
    await open();
    await says('3 of 15 steps are done.');
    await says('The node opened its seed, but nobody compared the words on paper with it.');
    await says('npm run seed -- verify --data-dir /srv/sluice');
    await line('Lightning: LND').getByText(bake).waitFor();
    expect(await line('Lightning: LND').getByRole('button', { name: 'Copy the command' }).count()).toBe(1);
    await line('This computer').getByText('83 MB are free.').waitFor();
    expect(await button('Go live').getAttribute('aria-disabled')).toBe('true');
    await says('Steps that a swap needs are not done');
  });

  test('tests a connection as it would be, and saves it only once nothing fails', async () => {
    let rows = [row('connection', 'fail', 'The Lightning node does not answer, nothing listens there: start it.')];
    await open({}, { 'POST /owner/doctor': () => ({ rows }) });
    await button('Set up Lightning: LND').click();
    await fixture.page
      .getByRole('textbox', { name: 'lndconnect link' })
      .fill('lndconnect://127.0.0.1:10009?cert=MIIB&macaroon=AgED');
    const save = button('Save: Lightning: LND');
    expect(await save.getAttribute('aria-disabled')).toBe('true');
    await button('Test Lightning: LND, without saving it').click();
    await says('It does not work yet, and nothing is saved.');
    await says('The Lightning node does not answer, nothing listens there: start it.');
    expect(await save.getAttribute('aria-disabled')).toBe('true');
    rows = [
      row('connection', 'pass', 'The Lightning node answers as alice.'),
      row('macaroon', 'warn', 'The macaroon may do more than this node needs: replace it.'),
    ];
    await button('Test Lightning: LND, without saving it').click();
    await says('It works. Nothing is saved yet.');
    await says('The macaroon may do more than this node needs: replace it.');
    expect(await fixture.violations()).toEqual([]);
    await save.click();
    await says('Saved.');
    expect(fixture.sent.map(({ route }) => route)).toEqual([
      'POST /owner/doctor',
      'POST /owner/doctor',
      'PATCH /owner/settings',
    ]);
    expect(fixture.sent.at(-1)?.body).toEqual({
      lnd: { link: 'lndconnect://127.0.0.1:10009?cert=MIIB&macaroon=AgED' },
    });
  });

  test('takes certificate and macaroon from files, as the bytes that they are', async () => {
    await open({}, { 'POST /owner/doctor': { rows: [] } });
    await button('Set up Lightning: LND').click();
    await fixture.page.getByRole('combobox', { name: /^How it is given/ }).click();
    await fixture.page.getByRole('option', { name: 'Pasted or uploaded' }).click();
    await fixture.page.getByLabel('Address of LND').fill('127.0.0.1:10009');
    const cert = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';
    const files = fixture.page.locator('input[type=file]');
    await files.nth(0).setInputFiles({ name: 'tls.cert', mimeType: 'text/plain', buffer: Buffer.from(cert) });
    await files.nth(1).setInputFiles({
      name: 'sluice.macaroon',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from('0201036c6e64', 'hex'),
    });
    await expect.poll(() => fixture.page.getByLabel('Macaroon', { exact: true }).inputValue()).toBe('0201036c6e64');
    expect(await fixture.violations()).toEqual([]);
    await button('Test Lightning: LND, without saving it').click();
    await says('It works. Nothing is saved yet.');
    expect(fixture.sent).toEqual([
      {
        route: 'POST /owner/doctor',
        body: { lnd: { socket: '127.0.0.1:10009', cert, macaroon: '0201036c6e64' } },
      },
    ]);
  });

  test('shows the address with what is missing, keeps prices, and rehearses a pair', async () => {
    await open(
      {},
      {
        'POST /owner/checklist/rehearse': { id: swap().id, amount_sats: 3_000, paid: true },
        [`GET /owner/taker/swaps/${swap().id}`]: swap(),
      },
    );
    await line('Liquidity on Arkade')
      .getByText('1,000 sats more for the smallest swap, 10,000,000 sats more for the largest.')
      .waitFor();
    await button('Show the address on Arkade').click();
    await fixture.page.getByTestId('qr').waitFor();
    await button('Done').click();
    await button('Keep these').click();
    await expect
      .poll(() => fixture.sent.at(-1))
      .toEqual({
        route: 'PATCH /owner/settings',
        body: { terms: { feeBps: 25, minSats: 1_000, maxSats: 10_000_000 } },
      });
    expect(await button('Rehearse Arkade to Lightning').getAttribute('aria-disabled')).toBe('true');
    await button('Rehearse Bitcoin to Arkade').click();
    await expect
      .poll(() => fixture.sent.at(-1))
      .toEqual({ route: 'POST /owner/checklist/rehearse', body: { direction: 'bitcoin-arkade' } });
    await expect.poll(() => fixture.page.url()).toContain(`#/swaps/${swap().id}`);
  });

  test('deploys contracts once their owner has seen what it costs, and the account can pay it', async () => {
    const account = '0x00000000000000000000000000000000000000c1';
    const plan = {
      account,
      contracts: [
        { name: 'HTLCErc20', address: `0x${'11'.repeat(20)}`, state: 'missing', most_wei: '20000000000000000' },
        { name: 'HTLCCoordinator', address: `0x${'22'.repeat(20)}`, state: 'stands', most_wei: '0' },
      ],
      most_wei: '20000000000000000',
      balance_wei: '5000000000000000',
      kept_wei: '0',
      missing_wei: '15000000000000000',
      obstacle: null as string | null,
      job: null as { id: string; sentence: string } | null,
    };
    let shown = plan;
    await open(
      {},
      {
        'GET /owner/contracts/evm:137': () => shown,
        'POST /owner/contracts/evm:137': () => ({ id: swap().id, sent: true, transaction: '0xaa' }),
      },
    );
    await button('Deploy the contracts on Polygon').click();
    const dialog = fixture.page.getByRole('dialog');
    await dialog.getByText('HTLCErc20').waitFor();
    await dialog.getByText('0.02').first().waitFor();
    await dialog.getByText(/Send 0\.015 .* more to this account first\./).waitFor();
    await fixture.page.getByTestId('qr').waitFor();
    expect(await dialog.getByRole('button', { name: 'Deploy', exact: true }).getAttribute('aria-disabled')).toBe(
      'true',
    );
    expect(await fixture.violations()).toEqual([]);
    await button('Done').click();
    shown = { ...plan, balance_wei: '30000000000000000', missing_wei: '0' };
    await button('Deploy the contracts on Polygon').click();
    await dialog.getByText('will be deployed.').waitFor();
    expect(fixture.sent).toEqual([]);
    shown = {
      ...shown,
      obstacle: 'Contracts are being deployed.',
      job: { id: swap().id, sentence: 'HTLCErc20 was sent.' },
    };
    await dialog.getByRole('button', { name: 'Deploy', exact: true }).click();
    await dialog.getByText('HTLCErc20 was sent.').waitFor();
    expect(fixture.sent).toEqual([{ route: 'POST /owner/contracts/evm:137', body: { most_wei: '20000000000000000' } }]);
    await button('Done').click();
  });

  test('gives other wallets a base URL, and turns them off and on', async () => {
    await open();
    await button('Show the base URL').click();
    await fixture.page.getByTestId('qr').waitFor();
    await fixture.page.getByRole('dialog').getByText('https://swaps.example', { exact: true }).waitFor();
    expect(await fixture.violations()).toEqual([]);
    const base = fixture.page.getByRole('dialog');
    const origin = new URL(fixture.page.url()).origin;
    await fixture.page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    await base.getByRole('button', { name: 'Copy' }).click();
    await base.getByText('Copied', { exact: true }).waitFor();
    expect(await fixture.page.evaluate(() => navigator.clipboard.readText())).toBe('https://swaps.example');
    await fixture.page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'));
    });
    await base.getByRole('button', { name: 'Copy' }).click();
    await base.getByText('Select the text and copy it: this browser does not let the page do it.').waitFor();
    await button('Done').click();
    await button('Turn off: Wallets of the Boltz interface').click();
    await expect.poll(() => fixture.sent.at(-1)?.body).toEqual({ boltz: { enabled: false } });
    const shut = step({ id: 'boltz', part: 'wallets', state: 'done' });
    await open(
      { steps: [...steps.filter(({ id }) => id !== 'boltz'), shut] },
      { 'GET /owner/settings': { settings: { ...settings, boltz: { enabled: false } } } },
    );
    expect(await button('Show the base URL').count()).toBe(0);
    await button('Turn on: Wallets of the Boltz interface').click();
    await expect.poll(() => fixture.sent.at(-1)?.body).toEqual({ boltz: { enabled: true } });
  });

  test('asks a second time, below what can be lost, before wallets on Arkade are paid', async () => {
    const risk = 'So you can lose 50 000 sats by one swap and 200 000 sats in all.';
    const loose = step({ id: 'toArkade', part: 'wallets', state: 'done', sentence: risk });
    const shown = { steps: [...steps, loose] };
    await open(shown);
    const turnOn = 'Turn on: Boltz interface: swaps to Arkade';
    await button(turnOn).click();
    const dialog = fixture.page.getByRole('dialog');
    await dialog.getByText(risk).waitFor();
    expect(await fixture.violations()).toEqual([]);
    await button('Leave it off').click();
    await dialog.waitFor({ state: 'hidden' });
    expect(fixture.sent).toEqual([]);
    await button(turnOn).click();
    await button('Turn on, and risk that').click();
    await expect.poll(() => fixture.sent.at(-1)?.body).toEqual({ boltz: { toArkade: { enabled: true } } });
    const on = { boltz: { enabled: true, toArkade: { enabled: true } } };
    await open(shown, { 'GET /owner/settings': { settings: { ...settings, ...on } } });
    await button('Turn off: Boltz interface: swaps to Arkade').click();
    await expect.poll(() => fixture.sent.at(-1)?.body).toEqual({ boltz: { toArkade: { enabled: false } } });
  });

  test('goes live once every step that a swap needs is done, and can be left again', async () => {
    await open(
      { ready: true },
      {
        'PATCH /owner/settings': (body: { live: boolean }) => ((answer = { ...answer, live: body.live }), { settings }),
      },
    );
    await button('Go live').click();
    await expect.poll(() => fixture.sent).toEqual([{ route: 'PATCH /owner/settings', body: { live: true } }]);
    await fixture.page.getByRole('link', { name: 'Checklist' }).click();
    await button('Offer nothing to strangers').click();
    await expect.poll(() => fixture.sent.at(-1)?.body).toEqual({ live: false });
  });

  test('breaks no rule in either theme and on a narrow window', async () => {
    for (const width of [1_280, 360]) {
      await open({}, {}, width);
      expect(await fixture.violations()).toEqual([]);
      expect(await fixture.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
  }, 60_000);
});
