import { RestArkProvider } from '@arkade-os/sdk';
import { afterAll, beforeAll, describe } from 'vitest';
import { connectArkade } from '../../../engine/adapters/arkade/connect.ts';
import { unix } from '../../../engine/domain/time.ts';
import { arkadePortSuite } from '../../ports/arkade-suite.ts';
import { openBank, type Bank } from './bank.ts';
import { startGoBetween } from './go-between.ts';
import { outlive, type RealOperator } from './operator.ts';

/** Milliseconds for a test that waits for a round, or for a coin to expire. */
const limit = 120_000;
/** Blocks cannot be stamped more than two hours ahead, and several tests wait for a locktime. */
const locktime = 120;

/** The Arkade port suite over an operator that takes no orders but those of its admin port, on a real chain's time. */
export function operatorSuite(name: string, operator: RealOperator): void {
  const shortLived = operator.profile === 'expiry';
  let bank: Bank;

  describe('', () => {
    beforeAll(async () => {
      bank = await openBank({ url: operator.url, admin: operator.admin, shortLived });
    });
    afterAll(() => bank.stop());

    arkadePortSuite(
      name,
      async () => {
        const between = await startGoBetween(operator.url);
        const banDuration = Number((await operator.admin.settings())['banDuration']);
        let mtp = await operator.chain.medianTime();
        let changed = false;
        const clock = { wall: () => unix(Math.floor(Date.now() / 1_000)), mtp: () => unix(mtp) };
        return {
          controls: {
            ...clock,
            locktime,
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
              await operator.admin.change({ banDuration: String(banDuration + 1) });
            },
            ...(shortLived ? { shortLived, expire: (coin) => outlive(operator.url, coin) } : {}),
          },
          connect: (keys) => connectArkade(between.url, { keys, clock, network: 'regtest' }),
          ark: new RestArkProvider(operator.url),
          async stop() {
            if (changed) await operator.admin.change({ banDuration: String(banDuration) });
            await between.stop();
          },
        };
      },
      { limit },
    );
  });
}
