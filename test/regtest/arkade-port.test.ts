import { afterAll, describe, test } from 'vitest';
import { givenOperator } from './arkd/environment.ts';
import { openOperator } from './arkd/operator.ts';
import { startSandboxOperator } from './arkd/sandbox-operator.ts';
import { operatorSuite } from './arkd/suite.ts';
import { findDaemons } from './kit/build.ts';
import { startChain } from './kit/chain.ts';

const given = givenOperator();

if ('absent' in given) describe.skip(`the Arkade port: a real operator (not run: ${given.absent})`, () => void test('wants an operator', () => undefined));
else {
  const operator = await openOperator(given);
  afterAll(() => operator.chain.rpc.close());
  operatorSuite(`arkd ${operator.version}`, operator);
}

// The same road with the same admin port, so that what a real operator is asked has been asked before.
const daemons = findDaemons();
if ('absent' in daemons) describe.skip(`the Arkade port: the sandbox operator on btcd (not run: ${daemons.absent})`, () => void test('wants btcd', () => undefined));
else {
  const chain = await startChain();
  const sandbox = await startSandboxOperator(chain.btcd);
  const operator = await openOperator({ url: sandbox.url, adminUrl: sandbox.adminUrl, btcd: chain.btcd });
  afterAll(async () => {
    operator.chain.rpc.close();
    await sandbox.stop();
    await chain.stop();
  });
  operatorSuite('the sandbox operator on btcd', operator);
}
