import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { dearest, type Call } from '../support/dear-calls.ts';
import { aims } from './aims.ts';
import { ordinary, type Bench } from './bench-node.ts';
import { withProbedNode, type Setting } from './setting.ts';
import { createArkade, invoices, timeOf } from './swaps.ts';
import { takeLag, type Lag } from './lag.ts';
import { quantiles, type Quantiles } from './trace.ts';

interface Pressure {
  readonly lag: Lag;
  readonly ownerRead: Quantiles;
  readonly health: Quantiles;
  /** How many of the client's calls had which answer. */
  readonly answers: Readonly<Record<string, number>>;
}

/** One client, without a token, as many calls at once as it has connections, for so long, whatever it is answered. */
async function press(url: string, calls: (() => Call)[], ms: number): Promise<Record<string, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const answers: Record<string, number> = {};
  const until = performance.now() + ms;
  let next = 0;
  function post([path, body]: Call): Promise<number> {
    return new Promise((resolve) => {
      request(
        url + path,
        {
          method: 'POST',
          agent,
          headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
        },
        (response) => {
          response.resume().on('end', () => resolve(response.statusCode ?? 0));
        },
      )
        .once('error', () => resolve(0))
        .end(body);
    });
  }
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      while (performance.now() < until) {
        const status = await post((calls[next++ % calls.length] as () => Call)());
        answers[status] = (answers[status] ?? 0) + 1;
        // As Retry-After asks: what is refused costs the client a moment, not the node.
        if (status === 429) await pause(100);
      }
    }),
  );
  agent.destroy();
  return answers;
}

/** How late the event loop of the node turns, and how long its owner waits, while one client spends all that it may. */
async function underPressure(bench: Bench, lagFile: string, ms: number): Promise<Pressure> {
  const [invoice] = await invoices(bench, 1);
  if (invoice === undefined) throw new Error('there is no invoice');
  const { id } = await createArkade(bench, invoice);
  const calls = dearest(id);
  const { url } = bench.node().ready;
  await bench.http().get('/owner/status');
  await takeLag(bench, lagFile);
  let over = false;
  const owner: number[] = [];
  const health: number[] = [];
  const read = async (path: string, samples: number[]): Promise<void> => {
    while (!over) {
      samples.push(await timeOf(() => bench.http().get(path)));
      await pause(10);
    }
  };
  const reading = [
    read('/owner/status', owner),
    read('/owner/swaps?open=true&limit=50', owner),
    read('/health', health),
  ];
  const answers = await press(url, calls, ms);
  over = true;
  await Promise.all(reading);
  return { lag: await takeLag(bench, lagFile), ownerRead: quantiles(owner), health: quantiles(health), answers };
}

/** B11: one client spends its whole allowance on the dearest calls there are. */
export async function pressure(setting: Setting): Promise<void> {
  await withProbedNode(
    setting,
    async (bench, lagFile) => {
      setting.print('B11', {
        ...(await underPressure(bench, lagFile, setting.size.pressureMs)),
        aim: aims.pressure,
      });
    },
    { flood: ordinary },
  );
}
