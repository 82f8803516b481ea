import { expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import { arkadeFailure } from '../../engine/legs/arkade/failures.ts';
import type { ArkadePort } from '../../engine/legs/arkade/port.ts';
import type { BitcoinPort } from '../../engine/legs/onchain/port.ts';
import type { RescueEntry } from '../../engine/legs/rescue.ts';
import { runMachines, type Ran } from '../../engine/rescue/run-machines.ts';
import { createTroubles, operatorTrouble } from '../../engine/rescue/troubles.ts';
import { noExitPaths } from '../../engine/rescue/exit-paths.ts';
import { withoutOperator } from '../../engine/rescue/without-operator.ts';
import type { Ports } from '../../engine/runtime/ports.ts';
import { createPartialNotes } from '../../engine/store/partial-notes.ts';
import { createSealer } from '../../engine/store/sealer.ts';
import { testConfig } from '../support/node.ts';
import { hash, lightningArkadeTerms, preimage, start } from '../swap/cases.ts';

const away = arkadeFailure('operator-away', 'safe', 'the Arkade operator did not answer');

/** An operator that answers nothing, and says how often it was asked. */
function silentOperator(): { readonly port: ArkadePort; asked: number } {
  const silent = { asked: 0, port: null as unknown as ArkadePort };
  const refuse = (): Promise<never> => {
    silent.asked += 1;
    return Promise.reject(away);
  };
  const watch = () => ({ add: () => undefined, remove: () => undefined, stop: async () => undefined });
  silent.port = new Proxy({} as ArkadePort, { get: (_, name) => (name === 'watch' ? watch : refuse) });
  return silent;
}

/** Past every locktime of the swaps here. */
const late = start + 40 * 86_400;
const tip = { height: 1_000_000, hash: 'ab'.repeat(32), time: unix(late), mtp: unix(late), era: 0 };
const chain = {
  tip: async () => tip,
  spend: async () => null,
  transaction: async () => null,
  disagreement: () => null,
};
const bitcoin = chain as unknown as BitcoinPort;

function refunding(shown: boolean): RescueEntry {
  return {
    id: 'one',
    direction: 'lightning-arkade',
    role: 'service',
    secret: shown ? preimage : null,
    claim: { on: 'lightning', hash },
    refund: null,
    shown,
    stored: {
      createdAt: unix(start),
      status: 'serverfunded',
      valueSats: 100_000n,
      terms: lightningArkadeTerms,
      progress: {
        at: 'refunding',
        ...{ lock: { txid: 'ab'.repeat(32), vout: 0 }, refundTxid: null },
        ...{ bolt11: 'lnbcrt1', invoiceExpiresAt: 1_760_001_800, expiryHeight: 900_144 },
      },
      ...{ termsVersion: 1, progressVersion: 1, secret: null, transactions: [] },
    },
  };
}

function run(entry: RescueEntry, arkade: ArkadePort, which = new Set([entry.id])): Promise<Ran> {
  return runMachines({
    swaps: [entry],
    which,
    shown: new Set(entry.shown ? [entry.id] : []),
    ports: { arkade, lightning: null, bitcoin },
    wall: () => unix(late),
    ceilings: testConfig().ceilings,
    rules: () => {
      throw new Error('there is no EVM chain');
    },
    partials: createPartialNotes({ path: null, sealer: createSealer(new Uint8Array(32)) }),
    exitPaths: noExitPaths,
    beside: async () => async () => undefined,
    patience: { poll: 20, looks: 50, quiet: which.size === 0 ? 60_000 : 1_000, most: 60_000 },
    say: () => undefined,
    keep: async () => undefined,
  });
}

test('a run ends once nothing moves, though what it does fails again and again', async () => {
  const operator = silentOperator();
  const begun = performance.now();
  const { reasons } = await run(refunding(false), operator.port);
  expect([reasons.get('one'), operator.asked > 1]).toEqual([away.message, true]);
  expect(performance.now() - begun).toBeLessThan(20_000);
});

test('a run with nothing open ends at once', async () => {
  const begun = performance.now();
  await run(refunding(false), silentOperator().port, new Set());
  expect(performance.now() - begun).toBeLessThan(20_000);
});

test('what a public secret was given for is not taken back by its machine, and is left to its legs', async () => {
  const { swaps, hands, reasons } = await run(refunding(true), silentOperator().port);
  expect([swaps.map(({ shown, secret }) => [shown, secret]), [...hands], reasons.get('one')]).toEqual([
    [[true, preimage]],
    ['one'],
    'its secret is public: what we gave is not taken back',
  ]);
});

test('an operator that its owner calls gone is asked once, and one that answers is asked as before', async () => {
  const operator = silentOperator();
  const troubles = createTroubles([]);
  const ports: Ports = { arkade: operator.port, lightning: null, bitcoin };
  const without = await withoutOperator(ports, troubles);
  await expect(without.arkade?.coins([])).rejects.toThrow('does not answer, and is not waited for');
  await expect(without.arkade?.submit(new Uint8Array())).rejects.toThrow('is not waited for');
  const serving: Ports = { ...ports, arkade: { info: async () => null } as unknown as ArkadePort };
  expect([
    operator.asked,
    troubles.lasts(operatorTrouble, unix(late)),
    await withoutOperator(serving, troubles),
  ]).toEqual([1, 0, serving]);
});
