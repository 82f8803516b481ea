import { afterAll, beforeAll, expect, test } from 'vitest';
import { onStage } from './arkd/stage.ts';
import { openOracle, type Books, type Oracle } from './kit/oracle.ts';
import { patientClient, type PatientClient } from './kit/patient-client.ts';
import { openStage, type Stage } from './kit/stage.ts';

const eachWay = 25;

onStage('fifty swaps at once on real lnd and btcd', () => {
  let stage: Stage;
  let oracle: Oracle;
  let client: PatientClient;
  let before: Books;

  beforeAll(async () => {
    stage = await openStage();
    oracle = await openOracle(stage);
    client = patientClient(stage);
    before = await oracle.books();
  });
  afterAll(async () => {
    await oracle?.stop();
    await stage?.stop();
  });

  async function receive(sats: number): Promise<void> {
    const receiving = await client.receive(sats);
    await client.locked(receiving);
    await client.claim(receiving);
    await client.reached(receiving.swap, 'serverredeemed');
  }

  async function send(sats: number): Promise<void> {
    const sending = await client.send('plain', sats);
    await client.fund(sending);
    await client.reached(sending.swap, 'serverredeemed');
  }

  test('all of them end well and every satoshi is where it belongs', async () => {
    const begun = performance.now();
    await Promise.all(Array.from({ length: eachWay }, (_, i) => [receive(10_000 + i), send(10_000 + i)]).flat());
    console.log(`${2 * eachWay} swaps in ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
    expect([client.played.length, await oracle.faults(before, client.played)]).toEqual([2 * eachWay, []]);
  });
});
