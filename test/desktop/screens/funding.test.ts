import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../browser.ts';
import { openFixturePage, Refused, type FixturePage, type Fixtures } from './fixture-page.ts';
import { now, shellFixtures, swap, walletFixtures } from './fixtures.ts';

const pay = {
  kind: 'arkade',
  text: 'tark1qqellv77udfmr20tun8dvju5vgudpf9vxe8jwhthrkn26fz96pawqfdy8nk05rsmrf8h94j26905e7n6sng8y059z8ykn2j5xcuw4xt84ckckgl',
  uri: 'bitcoin:?ark=tark1qq&amount=0.00212530',
  amount: '212530',
  // There is no sandbox here, so the time to pay runs by this machine's clock.
  until: Math.floor(Date.now() / 1_000) + 1_800,
  own_wallet: true,
} as const;
const waiting = swap({
  at: 'deal',
  phase: 'pay',
  attention: 'needs-you',
  turn: { who: 'you', step: 'pay', until: pay.until },
  pay,
});
const flying = swap({ at: 'waiting' });
const paying = `POST /owner/taker/swaps/${waiting.id}/pay`;

describe.skipIf(program === undefined)('what is to be paid', () => {
  let fixture: FixturePage;
  const around = { ...shellFixtures([waiting], false), ...walletFixtures };
  const own = () => fixture.page.getByRole('button', { name: 'Pay from your wallet' });
  const open = (answers: Fixtures, shown = waiting) =>
    fixture.open(`swaps/${waiting.id}`, { ...around, [`GET /owner/taker/swaps/${waiting.id}`]: shown, ...answers });

  beforeAll(async () => {
    fixture = await openFixturePage();
  }, 120_000);
  afterAll(() => fixture.close());

  test('is paid by the own wallet with one press, however often it is pressed', async () => {
    let answer = (_: object) => {};
    let stands = waiting;
    await open({
      [`GET /owner/taker/swaps/${waiting.id}`]: () => stands,
      [paying]: () => new Promise<object>((resolve) => (answer = resolve)),
    });
    await fixture.page.getByText('Your wallet on this node holds 3,482,117 sats.').waitFor();
    await own().click();
    await expect.poll(() => own().getAttribute('aria-busy')).toBe('true');
    await own().click({ force: true });
    await own().press('Enter');
    answer({ at: 'deal' });
    await fixture.page.getByText('Your wallet is paying.').waitFor();
    await own().press('Enter');
    expect(fixture.sent).toEqual([{ route: paying, body: {} }]);
    stands = flying;
    await own().waitFor({ state: 'detached', timeout: 60_000 });
  }, 60_000);

  test('stands in the owner’s currency beside sats', async () => {
    await open({
      'GET /owner/display': {
        fiat: { currency: 'USD', price: 100_000, age_seconds: 20 },
        trouble: null,
        explorers: {},
      },
    });
    await fixture.page.getByText('≈ 212.53 USD').waitFor();
  });

  test('is not paid where the node refuses, and its sentence stands there', async () => {
    await open({ [paying]: new Refused(403, 'A wallet of this node is paying this swap: it is paid once.') });
    await own().click();
    await fixture.page.getByRole('alert').getByText('it is paid once.').waitFor();
    expect(await own().getAttribute('aria-disabled')).toBe(null);
  });

  test('is not paid any more once its time is over: no code, no address and no button is left', async () => {
    await open({}, { ...waiting, pay: { ...pay, until: now - 60 } });
    await fixture.page.getByText('The time to pay is over. Do not pay any more.').waitFor();
    const left = [fixture.page.getByTestId('qr'), fixture.page.getByTestId('pay-text'), own()];
    expect(await Promise.all(left.map((part) => part.count()))).toEqual([0, 0, 0]);
    expect(await fixture.violations()).toEqual([]);
  });

  test('may have been paid where nobody answered: not again before the swap was read anew', async () => {
    let pressed = false;
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await open({
      [paying]: () => {
        pressed = true;
        return new Refused(500, 'Something broke.');
      },
      [`GET /owner/taker/swaps/${waiting.id}`]: () => (pressed ? answered.then(() => waiting) : waiting),
    });
    await own().click();
    await fixture.page.getByText('The node did not answer, so your wallet may be paying.').waitFor();
    await own().press('Enter');
    expect([fixture.sent.length, await own().getAttribute('aria-disabled')]).toEqual([1, 'true']);
    answer();
    await expect.poll(() => own().getAttribute('aria-disabled')).toBe(null);
  });

  test('is paid elsewhere where the own wallet cannot', async () => {
    await open({}, { ...waiting, pay: { ...pay, own_wallet: false } });
    await fixture.page.getByText('Open in another wallet').waitFor();
    expect(await own().count()).toBe(0);
  });

  test('breaks no rule in either theme and on a narrow window', async () => {
    for (const width of [1_280, 360]) {
      await open({}, waiting);
      await fixture.page.setViewportSize({ width, height: 900 });
      await own().waitFor();
      expect(await fixture.violations()).toEqual([]);
      expect(await fixture.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
  }, 60_000);
});
