import { afterEach, expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { publicKeyOf } from '../../engine/legs/secp256k1.ts';
import type { BitcoinLightningTerms } from '../../engine/swap/directions/bitcoin-lightning.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
afterEach(() => scene.end());

test('fault 241, bitcoin: of two coins of one block that are much together, one waits for its depth', async () => {
  // Each is 100,410 sats.
  const config = { bitcoin: { confirmations: [1, 3], confirmationsAboveSats: 150_000 } };
  scene = await openScene({ bitcoinWallet: true, pollMs: 25, config });
  const { node, client, world } = scene;
  const records = [
    await client.createBitcoinArkade(node, 100_000n, client.secret()),
    await client.createBitcoinArkade(node, 100_000n, client.secret()),
  ];
  expect(records.map((record) => record.btc_funding_confirmations)).toEqual([1, 1]);
  for (const record of records) client.payBitcoin(record);
  await world.mine(1);
  const statuses = () => records.map(({ id }) => node.status(id)).toSorted();
  const attempts = () => records.flatMap(({ id }) => node.store.effects.of(id).map((row) => row.attempts));
  await eventually(() => attempts().some((many) => many > 0), 'one of them was held back');
  await eventually(() => statuses().includes('serverfunded'), 'the other is locked');
  expect(statuses()).toEqual(['clientfunded', 'serverfunded']);
  await world.mine(1);
  await eventually(() => attempts().some((many) => many > 1), 'it is held back again');
  expect(statuses()).toEqual(['clientfunded', 'serverfunded']);
  await world.mine(1);
  await eventually(() => statuses().every((status) => status === 'serverfunded'), 'both are locked');
});

test('fault 241, bitcoin: the coin of a payment that failed makes no other wait', async () => {
  const config = { bitcoin: { confirmations: [1, 3], confirmationsAboveSats: 150_000 } };
  scene = await openScene({ bitcoinWallet: true, pollMs: 25, config });
  const { node, world } = scene;
  const refunder = publicKeyOf(new Uint8Array(32).fill(2));
  const fund = async (): Promise<{ id: string; hash: Uint8Array }> => {
    const { bolt11, hash } = world.invoice(100_000n, { hold: true });
    const created = await node.service.create(
      'bitcoin-lightning',
      {
        ...{ userId: toHex(refunder), extraFeesBps: 0, referralCode: null, signsClaim: false },
        refundKey: { key: refunder, text: toHex(refunder) },
        payee: { is: 'invoice', bolt11, amount: sats(100_000n) },
      },
      null,
    );
    if (isRefusal(created)) throw new Error(created.sentence);
    const terms = node.store.swaps.byId(created.id)?.terms as BitcoinLightningTerms;
    world.bitcoin.faucet(terms.htlcScript, terms.sourceAmount);
    return { id: created.id, hash };
  };
  const failing = await fund();
  await world.mine(1);
  await eventually(() => node.status(failing.id) === 'serverfunded', 'the first is paid for');
  const next = await fund();
  await world.mine(1);
  const attempts = () => node.store.effects.of(next.id).map((row) => row.attempts);
  await eventually(() => attempts().some((many) => many > 0), 'the next is held back');
  expect(node.status(next.id)).toBe('clientfunded');
  world.lightning.cancel('outside', toHex(failing.hash));
  await eventually(() => node.status(next.id) === 'serverfunded', 'the next is paid for');
  expect(node.status(failing.id)).toBe('serverwontfund');
});
