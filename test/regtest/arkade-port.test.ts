import { join } from 'node:path';
import { afterAll, describe, test } from 'vitest';
import { openAdmin } from './arkd/admin.ts';
import { givenOperator } from './arkd/environment.ts';
import { openOperator } from './arkd/operator.ts';
import { operatorSuite } from './arkd/suite.ts';
import { findDaemons } from './kit/build.ts';
import { startChain, type Chain } from './kit/chain.ts';
import { startOperator } from './kit/operator.ts';

const given = givenOperator();

if ('absent' in given)
  describe.skip(`the Arkade port: a real operator (not run: ${given.absent})`, () =>
    void test('wants an operator', () => undefined));
else {
  const operator = await openOperator(given);
  afterAll(() => operator.chain.rpc.close());
  operatorSuite(`arkd ${operator.version}`, operator);
}

// The same road with the same admin port, so that what a real operator is asked has been asked before.
const daemons = findDaemons();
if ('absent' in daemons)
  describe.skip(`the Arkade port: the sandbox operator on btcd (not run: ${daemons.absent})`, () =>
    void test('wants btcd', () => undefined));
else {
  const chain = await startChain();
  afterAll(() => chain.stop());
  // As regtest operators are set up: newer wallets want longer delays of it.
  await rehearse('the sandbox operator on btcd', chain, {
    unilateralExitDelay: '512',
    publicUnilateralExitDelay: '512',
    checkpointExitDelay: '512',
    boardingExitDelay: '1024',
  });
  const expiring = 'the sandbox operator on btcd, whose coins expire';
  if (process.env['SLUICE_REGTEST_LONG'] === undefined)
    describe.skip(`the Arkade port: ${expiring} (not run: three minutes of waiting; set SLUICE_REGTEST_LONG)`, () =>
      void test('wants time', () => undefined));
  else
    await rehearse(expiring, chain, {
      vtxoTreeExpiry: '30',
      unilateralExitDelay: '5',
      publicUnilateralExitDelay: '5',
      checkpointExitDelay: '5',
      boardingExitDelay: '10',
    });
}

async function rehearse(name: string, chain: Chain, settings: Readonly<Record<string, string>>): Promise<void> {
  const sandbox = await startOperator(chain.node, join(chain.folder, `operator-${Object.keys(settings).length}`));
  if (Object.keys(settings).length > 0) await openAdmin(sandbox.adminUrl).change(settings);
  const operator = await openOperator({ url: sandbox.url, adminUrl: sandbox.adminUrl, btcd: chain.node });
  afterAll(async () => {
    operator.chain.rpc.close();
    await sandbox.stop();
  });
  operatorSuite(name, operator);
}
