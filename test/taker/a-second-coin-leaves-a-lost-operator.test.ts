import { afterEach, expect, test } from 'vitest';
import { outpointKey, type Outpoint } from '../../engine/domain/outpoint.ts';
import type { ArkadeLeg } from '../../engine/taker/terms.ts';
import { deposit } from '../support/bitcoin-wallet.ts';
import { eventually } from '../support/scene.ts';
import { startPair, type Pair } from './pair.ts';

let pair: Pair;
afterEach(() => pair.stop());

test('fault 326, arkade: the second coin of a client leaves a lost operator as early as the first', async () => {
  pair = await startPair({ taker: { bitcoinWallet: true, untilMs: 60_000 } });
  const { world, taker } = pair;
  await deposit({ world, node: taker }, 60_000, 60_000);
  const { bolt11 } = world.invoice(50_000n, { hold: true });
  const id = await pair.toLightning(bolt11, 50_000n);
  const { address, amount_sats } = await pair.listed(id);
  await pair.provider.kill();
  const coins = [world.faucet(address ?? '', BigInt(amount_sats)), world.faucet(address ?? '', BigInt(amount_sats))];
  await world.mine(1);
  await taker.until(id, 'funded');
  await eventually(async () => {
    await taker.exits.look();
    return coins.every((coin) => taker.store.exits.has(coin));
  }, 'both ways are saved');
  world.operator.faults.away();
  const { deal } = taker.runtime.workingSet.find(id)!.row.progress as unknown as { deal: { source: ArkadeLeg } };
  await world.advance(deal.source.vhtlc.refundLocktime - world.now() + 7_200);
  await world.mine(12);
  await taker.until(id, 'refunding');
  for (let minutes = 0; minutes < 12.2 * 60; minutes += 10) {
    await world.pass(600);
    await taker.networks.refresh();
    await taker.unilateralExits.look();
  }
  const jobs = [...taker.runtime.workingSet.all()].flatMap(({ machine, row }) =>
    machine.name === 'unroll-arkade' ? [row.terms as { readonly coin: Outpoint; readonly deadline?: number }] : [],
  );
  expect(jobs.map(({ coin, deadline }) => [outpointKey(coin), deadline !== undefined]).sort()).toEqual(
    coins.map((coin) => [outpointKey(coin), true]).sort(),
  );
}, 120_000);
