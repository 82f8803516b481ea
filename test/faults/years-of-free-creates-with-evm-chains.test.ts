import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ArkadeLightningRecord } from '../../engine/contract/directions/arkade-lightning.ts';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { tokenAmount } from '../../engine/domain/money.ts';
import { day } from '../../engine/domain/time.ts';
import { createTrimming } from '../../engine/service/wallet/trimming.ts';
import type { ArkadeEvmTerms } from '../../engine/swap/directions/arkade-evm.ts';
import type { ArkadeLightningTerms } from '../../engine/swap/directions/arkade-lightning.ts';
import type { EvmBitcoinTerms } from '../../engine/swap/directions/evm-bitcoin.ts';
import type { EvmLightningTerms } from '../../engine/swap/directions/evm-lightning.ts';
import { memoryLog } from '../runtime/support.ts';
import { eventually, openScene, price, type Scene } from '../support/scene.ts';
import { arkadeEvmTerms } from '../swap/arkade-evm-cases.ts';
import { evmBitcoinTerms } from '../swap/evm-bitcoin-cases.ts';
import { evmLightningTerms } from '../swap/evm-lightning-cases.ts';

const usdc = { address: asEvmAddress(new Uint8Array(20).fill(0xdc)), decimals: 6, symbol: 'USDC', name: 'USD Coin' };
let scene: Scene;
let template: ArkadeLightningRecord;

beforeEach(async () => {
  scene = await openScene();
  template = await scene.client.createArkadeLightning(scene.node, scene.world.invoice(100_000n).bolt11, 100_000n);
});
afterEach(() => scene.end());

/** A swap of the machine that nobody ever funded, beside the template. */
function lapsed(machine: 'arkade-evm' | 'evm-bitcoin' | 'evm-lightning', number: number, terms: unknown): string {
  const { store } = scene.node;
  const row = store.swaps.byId(template.id);
  if (row === null) throw new Error('the template is gone');
  const id = `00000000-0000-4000-8000-00000000000${number}`;
  const progress = machine === 'arkade-evm' ? { at: 'lapsed', fenced: false } : { at: 'lapsed' };
  store.swaps.insert({ ...row, id, machine, status: 'expired', open: false, progress, terms });
  store.journal.write(id, { time: row.createdAt, from: 'stopped', event: 'clock', to: 'lapsed', effects: [] });
  return id;
}

/** Its VHTLC is the template's; the EVM half is of its own, in a token other than the locked one. */
function toEvm(): ArkadeEvmTerms {
  const { hash, vhtlc, script, address, serverKey, clientKeyText, keyIndex, sourceAmount } =
    scene.node.store.swaps.byId(template.id)?.terms as ArkadeLightningTerms;
  return {
    ...arkadeEvmTerms,
    ...{ hash, vhtlc, script, address, serverKey, clientKeyText, keyIndex, sourceAmount },
    lock: { ...arkadeEvmTerms.lock, preimageHash: hash, amount: 10n ** 15n + 7n },
    target: usdc,
    targetAmount: tokenAmount(59_000_123),
  };
}

function fromEvm(): EvmLightningTerms {
  const timelock = BigInt(template.vhtlc_refund_locktime);
  return {
    ...evmLightningTerms,
    lock: { ...evmLightningTerms.lock, timelock },
    source: usdc,
    sourceUnits: 60_123_456n,
  };
}

function toBitcoin(): EvmBitcoinTerms {
  const { lock, source, sourceUnits } = fromEvm();
  return { ...evmBitcoinTerms, lock, source, sourceUnits, targetAddress: 'bcrt1qclient' };
}

function left(id: string): { trimmed: number; journal: number; terms: number } {
  const db = new Database(scene.node.databaseFile, { readonly: true });
  try {
    return db
      .prepare<[string], { trimmed: number; journal: number; terms: number }>(
        'SELECT trimmed, (SELECT count(*) FROM journal WHERE subject = swaps.id) AS journal, length(terms) AS ' +
          'terms FROM swaps WHERE id = ?',
      )
      .get(id)!;
  } finally {
    db.close();
  }
}

async function trim(): Promise<void> {
  await createTrimming({ runtime: scene.node.runtime, everyMs: 3_600_000, log: memoryLog().log }).check();
}

async function longAfter(): Promise<void> {
  await scene.world.advance(template.vhtlc_refund_locktime - scene.world.now() + 7 * day + 60);
}

test('fault 53: a swap to an EVM chain that was never funded is trimmed, and its record stays', async () => {
  const id = lapsed('arkade-evm', 1, toEvm());
  const [before, whole] = [scene.node.service.swap(id), left(id).terms];
  await trim();
  const early = left(id).trimmed;
  await longAfter();
  await trim();
  const { terms, ...rest } = left(id);
  expect({ early, rest, half: terms * 2 < whole }).toEqual({ early: 0, rest: { trimmed: 1, journal: 0 }, half: true });
  expect(scene.node.service.swap(id)).toEqual(before);
});

test('fault 53: a swap from an EVM chain that was never funded is trimmed, and its record stays', async () => {
  const id = lapsed('evm-lightning', 2, fromEvm());
  const [before, whole] = [scene.node.service.swap(id), left(id).terms];
  await trim();
  const early = left(id).trimmed;
  await longAfter();
  await trim();
  const { terms, ...rest } = left(id);
  expect({ early, rest, half: terms * 2 < whole }).toEqual({ early: 0, rest: { trimmed: 1, journal: 0 }, half: true });
  expect(scene.node.service.swap(id)).toEqual(before);
  // Nothing is asked of Arkade about it, neither now nor in the round of every day.
  await scene.world.advance(day + 60);
  await trim();
  expect(scene.node.at(id)).toBe('lapsed');
});

test('fault 53, bitcoin: a swap from an EVM chain to Bitcoin that was never funded is trimmed', async () => {
  const id = lapsed('evm-bitcoin', 3, toBitcoin());
  const [before, whole] = [scene.node.service.swap(id), left(id).terms];
  await trim();
  const early = left(id).trimmed;
  await longAfter();
  await trim();
  const { terms, ...rest } = left(id);
  expect({ early, rest, half: terms * 2 < whole }).toEqual({ early: 0, rest: { trimmed: 1, journal: 0 }, half: true });
  expect(scene.node.service.swap(id)).toEqual(before);
});

test('fault 53: money that comes to a trimmed swap to an EVM chain goes back with our signature', async () => {
  const id = lapsed('arkade-evm', 1, toEvm());
  await longAfter();
  await trim();
  scene.world.faucet(template.arkade_vhtlc_address, price);
  await scene.world.advance(day + 60);
  await trim();
  await eventually(() => scene.node.status(id) === 'clientfundedtoolate', 'the late coin is seen');
  await scene.client.collabRefund(scene.node, { ...template, id });
  expect((await scene.client.coins(template)).filter(({ spent }) => !spent)).toEqual([]);
});
