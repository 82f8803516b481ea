import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isRefusal } from '../../../engine/domain/errors.ts';
import { tokenAmount } from '../../../engine/domain/money.ts';
import { permit2 } from '../../../engine/legs/evm/deployments.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { evmNetworkOfWorld } from '../../support/node-evm.ts';
import { startEvmWorld, type EvmWorld } from '../../support/evm/world.ts';
import { startNodeOn, type TestNode } from '../../support/node.ts';
import { startWorld, type World } from '../../support/world.ts';

let world: World;
let evm: EvmWorld;
let node: TestNode;
const folder = mkdtempSync(join(tmpdir(), 'sluice-dead-ends-'));
beforeAll(async () => {
  world = startWorld();
  evm = await startEvmWorld(() => world.now());
  node = await startNodeOn(world, folder, { evm });
}, 60_000);
afterAll(async () => {
  await node.stop();
  world.stop();
  await evm.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('fault 77: no withdrawal goes to a token, the exchange or a contract of swaps', async () => {
  const { htlc, coordinator, tokens, dex } = evm.endpoints;
  const [wbtc = '', usdc = ''] = ['WBTC', 'USDC'].map(
    (symbol) => tokens.find((token) => token.symbol === symbol)?.address ?? '',
  );
  const dead = [htlc, coordinator, `0x${toHex(permit2)}`, wbtc, usdc, dex?.router ?? '', dex?.quoter ?? ''];
  const answers = await Promise.all(
    [...dead, '0x52908400098527886E0F7030069857D2E4169EE7'].map(async (address) =>
      node.service.owner.withdraw(evmNetworkOfWorld, { address, amount: tokenAmount(1), asset: wbtc }),
    ),
  );
  expect(answers.map(isRefusal)).toEqual([...dead.map(() => true), false]);
}, 60_000);
