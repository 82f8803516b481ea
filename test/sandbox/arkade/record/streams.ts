import { hex } from '@scure/base';
import { keyOf, walletScript } from '../support.ts';
import { unsigned } from './batch.ts';
import { type Bench, claimed, paid, quietAfter, scriptOf, settled, settledNote } from './bench.ts';
import { type Answer, type Block, nameOf } from './compare.ts';
import { type Table, unknownId } from './table.ts';

/** The stream during a batch of Bob's claim. */
async function duringBatch(
  bench: Bench,
  topics: (coin: string, cosigner: string) => readonly string[],
  until: (blocks: readonly Block[]) => boolean,
): Promise<Answer> {
  const session = bench.bob.identity.signerSession();
  const cosigner = hex.encode(await session.getPublicKey());
  const query = topics(keyOf(bench.coin), cosigner)
    .map((topic) => `topics=${encodeURIComponent(topic)}`)
    .join('&');
  const stream = bench.stream(`/v1/batch/events${query === '' ? '' : `?${query}`}`, until);
  await stream.opened;
  await settled(bench, { session });
  return stream.answer;
}

export const batchEvents: Table = {
  'own topics: a live coin settled with a forfeit, one cosigner; then idle': (bench) =>
    duringBatch(bench, (coin, cosigner) => [coin, cosigner], quietAfter('batchFinalized')),
  'foreign topic, same batch: treeTx, treeNonces and treeSignature withheld': (bench) =>
    duringBatch(bench, () => ['aa'], quietAfter('batchFinalized')),
  'no topics, same batch': (bench) =>
    duringBatch(
      bench,
      () => [],
      (blocks) => blocks.some((block) => nameOf(block) === 'batchStarted'),
    ),
  'nonces withheld by the cosigner': {
    settings: { stages: { registration: 20, confirmation: 200, finalization: 200 } },
    async act(bench) {
      const stream = bench.stream(`/v1/batch/events?topics=${encodeURIComponent(keyOf(bench.coin))}`, (blocks) =>
        blocks.some((block) => nameOf(block) === 'batchFailed'),
      );
      await stream.opened;
      await unsigned(bench);
      return stream.answer;
    },
  },
};

/** Money comes to a script, goes off chain, comes again and goes through a batch. */
async function scriptLife(
  bench: Bench,
  subscription: string,
  until: (blocks: readonly Block[]) => boolean,
): Promise<Answer> {
  const path = `/v1/indexer/script/subscription/${subscription}`;
  const stream = bench.stream(path, until);
  const { coin, change } = await paid(bench, bench.change, bench.contract, 20_000);
  await claimed({ ...bench, coin });
  const again = await paid(bench, change, bench.contract, 20_000);
  await settled({ ...bench, coin: again.coin });
  await new Promise((resolve) => setTimeout(resolve, 600));
  const second = bench.stream(path, quietAfter());
  const [answer] = await Promise.all([stream.answer, second.answer]);
  return answer;
}

function silent(bench: Bench): { path: string; id: string } {
  const id = bench.operator.subscribe([scriptOf(walletScript(bench.operator, bench.bob))]);
  return { id, path: `/v1/indexer/script/subscription/${id}` };
}

export const scriptSubscriptionEvents: Table = {
  'fund, claim, fund, settled in a batch, heartbeat, replaced by a second reader': (bench) =>
    scriptLife(bench, bench.operator.subscribe([scriptOf(bench.contract)]), () => false),
  'second reader after it replaced the first': async (bench) => {
    const { path } = silent(bench);
    const first = bench.stream(path, () => false);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const second = await bench.stream(path, quietAfter()).answer;
    await first.answer;
    return second;
  },
  'no event: first bytes are the heartbeat': (bench) => bench.stream(silent(bench).path, quietAfter()).answer,
  'first reader is ended at once when a second one attaches': async (bench) => {
    const { path } = silent(bench);
    const first = bench.stream(path, () => false);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const second = bench.stream(path, quietAfter());
    const answer = await first.answer;
    await second.answer;
    return answer;
  },
  'unknown subscription id: HTTP 200 and a failure event': ({ stream }) =>
    stream(`/v1/indexer/script/subscription/${unknownId}`, () => false).answer,
};

export const filterSubscription: Table = {
  'filter subscription: started at once, event, heartbeat': async (bench) => {
    const stream = bench.stream(
      `/v1/indexer/subscription?filter.scripts.add=${scriptOf(bench.contract)}&filter.scripts.add=${scriptOf(bench.own)}`,
      quietAfter('event'),
    );
    await stream.opened;
    await paid(bench, bench.change, bench.contract, 20_000);
    return stream.answer;
  },
};

export const transactions: Table = {
  'commitment, send, heartbeat (one of each kept)': async (bench) => {
    const stream = bench.stream('/v1/txs', quietAfter('commitmentTx', 'arkTx'));
    // What happens before somebody listens is told to nobody.
    await stream.opened;
    await settledNote(bench, 30_000);
    await paid(bench, bench.change, bench.target, 20_000);
    return stream.answer;
  },
  'sweep of an expired batch (only the sweepTx kept)': async (bench) => {
    const commitment = await settled(bench);
    bench.clock.advance(604_673);
    const stream = bench.stream('/v1/txs', (blocks) => blocks.some((block) => nameOf(block) === 'sweepTx'));
    await stream.opened;
    bench.operator.admin.sweeps.sweep([commitment]);
    return stream.answer;
  },
};
