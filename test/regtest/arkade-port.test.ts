import { afterAll, beforeAll, describe, test } from 'vitest';
import { RestArkProvider } from '@arkade-os/sdk';
import { connectArkade } from '../../engine/adapters/arkade/connect.ts';
import { unix } from '../../engine/domain/time.ts';
import { arkadePortSuite } from '../ports/arkade-suite.ts';
import { openBank, type Bank } from './arkd/bank.ts';
import { givenOperator } from './arkd/environment.ts';
import { startGoBetween } from './arkd/go-between.ts';
import { openOperator, outlive } from './arkd/operator.ts';

const given = givenOperator();

if ('absent' in given) describe.skip(`the Arkade port: a real operator (${given.absent})`, () => void test('needs an operator', () => undefined));
else {
  const operator = await openOperator(given);
  const shortLived = operator.profile === 'expiry';
  let bank: Bank;

  beforeAll(async () => {
    bank = await openBank({ url: operator.url, admin: operator.admin, shortLived });
  });
  afterAll(async () => {
    await bank.stop();
    operator.chain.rpc.close();
  });

  arkadePortSuite(
    `arkd ${operator.version}`,
    async () => {
      const between = await startGoBetween(operator.url);
      let mtp = await operator.chain.medianTime();
      const banDuration = String((await operator.admin.settings())['banDuration']);
      const wall = () => unix(Math.floor(Date.now() / 1_000));
      const clock = { wall, mtp: () => unix(mtp) };
      let changed = false;
      return {
        controls: {
          ...clock,
          // Blocks cannot be stamped more than two hours ahead, and several tests wait for a locktime.
          locktime: 600,
          faucet: (address, amount) => bank.faucet(address, amount),
          async reach(moment) {
            await operator.chain.reach(moment);
            mtp = await operator.chain.medianTime();
          },
          loseNextSubmit: async () => between.loseNextSubmit(),
          away: async () => between.away(),
          back: async () => between.back(),
          async changeSettings() {
            changed = true;
            await operator.admin.change({ banDuration: String(Number(banDuration) + 1) });
          },
          ...(shortLived
            ? {
                shortLived,
                expire: (coin) => outlive(operator.url, coin),
              }
            : {}),
        },
        connect: (keys) => connectArkade(between.url, { keys, clock, network: 'regtest' }),
        ark: new RestArkProvider(operator.url),
        async stop() {
          if (changed) await operator.admin.change({ banDuration });
          await between.stop();
        },
      };
    },
    { limit: 120_000 },
  );
}
