import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { onStage } from './arkd/stage.ts';
import { openOracle, type Books, type Oracle } from './kit/oracle.ts';
import { patientClient, type PatientClient } from './kit/patient-client.ts';
import { openStage, type Stage } from './kit/stage.ts';

/** How to kill somebody while clients go on, and how to bring them back. */
interface Victim {
  readonly kill: (stage: Stage, paymentSent: () => Promise<void>) => Promise<void>;
  readonly revive: (stage: Stage) => Promise<void>;
  /** Left out: long enough for clients to meet the dead with whatever they do next. */
  readonly downMs?: number;
}

const victims: Readonly<Record<string, Victim>> = {
  'the node': { kill: ({ node }) => node.kill('SIGKILL'), revive: ({ node }) => node.start() },
  // The node looks at everything every ten seconds, and finds nobody there.
  "the node's lnd": { kill: ({ ours }) => ours.kill(), revive: ({ ours }) => ours.start(), downMs: 11_000 },
  "the client's lnd": {
    async kill({ theirs }, paymentSent) {
      await paymentSent();
      await theirs.kill();
    },
    revive: ({ theirs }) => theirs.start(),
  },
  'the operator': {
    kill: async ({ operator }) => operator.life?.kill(),
    revive: async ({ operator }) => operator.life?.start(),
  },
  btcd: { kill: ({ net }) => net.node.kill(), revive: ({ net }) => net.node.start(net.memory) },
  'the node and its lnd': {
    kill: async ({ node, ours }) => void (await Promise.all([node.kill('SIGKILL'), ours.kill()])),
    revive: async ({ node, ours }) => {
      await node.start();
      await ours.start();
    },
  },
};
const usualDownMs = 1_500;

onStage('whoever is killed, nothing is lost', () => {
  let stage: Stage;
  let oracle: Oracle;
  let client: PatientClient;
  let before: Books;
  let asItWas = false;

  /** Another one after a test that failed: what it left lying is no fault of the next. */
  beforeEach(async () => {
    if (asItWas) await stage.net.forgive();
    else {
      await close();
      stage = await openStage();
      oracle = await openOracle(stage);
      client = patientClient(stage);
      before = await oracle.books();
    }
    asItWas = false;
  });
  afterEach(({ task }) => void (asItWas = task.result?.state !== 'fail'));
  afterAll(close);

  async function close(): Promise<void> {
    await oracle?.stop();
    await stage?.stop();
  }

  test.for(Object.keys(victims))('%s, with a swap at every step', { timeout: 420_000 }, async (name, { skip }) => {
    if (name === 'the operator' && stage.operator.life === null) skip('the given operator is not ours to kill');
    const { kill, revive, downMs = usualDownMs } = victims[name] ?? expect.fail(`nobody is called ${name}`);

    // Some stand still: an invoice that nobody paid yet, a lock that nobody claimed, an address without its coin,
    // payments that the payee keeps.
    const [unpaid, locked, claiming, unfunded, withPayee, returned, settling] = await Promise.all([
      client.receive(),
      client.receive(),
      client.receive(),
      client.send(),
      client.send('held'),
      client.send('held'),
      client.send('held'),
    ]);
    // One after the other, each with a commitment of its own: see the patient client.
    for (const one of [locked, claiming]) await client.locked(one);
    for (const one of [withPayee, returned, settling]) {
      await client.fund(one);
      await expect.poll(() => stage.wallet.invoiceState(one.hash), { timeout: 60_000 }).toBe('held');
    }
    const [paying, funding] = [await client.receive(), await client.send()];

    // Some are in the middle of an act: two creates, a payment, a claim, a funding, a settlement.
    const acts: Promise<unknown>[] = [
      client.pay(paying),
      client.claim(claiming),
      client.fund(funding),
      client.settle(settling),
    ];
    const creates = Promise.all([client.receive(), client.send()]);
    await pause(Math.random() * 250);
    await kill(stage, () => client.sent(paying));

    // The others do not wait for the dead, and one whose payment the payee keeps wants its coin back.
    acts.push(client.pay(unpaid), client.claim(locked), client.fund(unfunded), client.cancel(returned));
    const greed = client.greed(withPayee);
    await pause(downMs);
    await revive(stage);
    await stage.net.reconnect();

    const [born, bornToo] = await creates;
    acts.push(client.fund(bornToo));
    await Promise.all(acts);
    await Promise.all([
      greed.stop().then(() => client.settle(withPayee)),
      ...[unpaid, paying, born].map(async (one) => {
        await client.locked(one);
        await client.claim(one);
      }),
      client.reached(returned.swap, 'serverwontfund').then(() => client.refund(returned)),
    ]);
    await Promise.all([
      ...[unpaid, locked, claiming, paying, born, withPayee, settling].map(({ swap }) =>
        client.reached(swap, 'serverredeemed'),
      ),
      client.reached(returned.swap, 'clientrefunded'),
    ]);
    await client.paidOrRefunded([unfunded, funding, bornToo]);
    expect(await oracle.faults(before, client.played)).toEqual([]);
  });

  test('a second recovery changes nothing, and no swap needs a hand', async () => {
    const books = await oracle.books();
    await stage.node.restart('SIGKILL');
    await pause(3_000);
    const { swaps } = (await stage.node.owner('GET', '/owner/swaps?limit=200')) as unknown as {
      swaps: { id: string; flagged: boolean }[];
    };
    expect({
      books: await oracle.books(),
      faults: await oracle.faults(before, client.played),
      listed: swaps.length >= client.played.length,
      flagged: swaps.filter(({ flagged }) => flagged),
    }).toEqual({ books, faults: [], listed: true, flagged: [] });
  });
});
