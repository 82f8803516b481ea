import { once } from 'node:events';
import { WebSocket } from 'ws';
import { aims } from './aims.ts';
import type { Bench } from './bench-node.ts';
import { rounded, withNode, type Setting } from './setting.ts';
import { createLightning, reached } from './swaps.ts';
import { quantiles, takeTrace } from './trace.ts';

const channel = 'swap_status';
/** Sockets that are opened at once. */
const atOnce = 50;

/** Milliseconds since the epoch, with a fraction, as the trace has them. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * B7: so many sockets follow the same swap. From the moment at which its preimage is public to the arrival of the
 * status that says so, at each of them: the node reads the event, saves what it means, and tells everybody.
 */
async function statusToFollowers(
  bench: Bench,
  { followers, swaps }: { readonly followers: number; readonly swaps: number },
): Promise<object> {
  const arrivals = new Map<string, number[]>();
  const sockets: WebSocket[] = [];
  const url = `${bench.node().ready.url.replace('http', 'ws')}/ws`;
  while (sockets.length < followers) {
    const some = Array.from({ length: Math.min(atOnce, followers - sockets.length) }, () => new WebSocket(url));
    for (const socket of some)
      socket.on('message', (text: Buffer) => {
        const { data } = JSON.parse(text.toString()) as { data?: Record<string, string> };
        for (const [id, status] of Object.entries(data ?? {}))
          if (status === 'clientredeemed') arrivals.set(id, [...(arrivals.get(id) ?? []), now()]);
      });
    await Promise.all(some.map((socket) => once(socket, 'open')));
    sockets.push(...some);
  }
  await takeTrace(bench.traceUrl);
  const claims = new Map<string, string>();
  for (let i = 0; i < swaps; i++) {
    const { record, secret } = await createLightning(bench);
    for (const socket of sockets) socket.send(JSON.stringify({ op: 'subscribe', channel, args: [record.id] }));
    await bench.wallet.controls.lightningPay(record.bolt11_invoice);
    await reached(bench, record.id, 'serverfunded');
    await bench.wallet.claim(record, secret);
    claims.set(record.id, String((await reached(bench, record.id, 'serverredeemed'))['arkade_claim_txid']));
  }
  for (const socket of sockets) socket.terminate();
  const trace = await takeTrace(bench.traceUrl);
  const waits = [...claims].flatMap(([id, txid]) => {
    const at = trace.find(({ what, key }) => what === 'public' && key === txid)?.at ?? Number.NaN;
    return (arrivals.get(id) ?? []).map((moment) => moment - at);
  });
  return { followers, swaps, missed: followers * swaps - waits.length, ...quantiles(waits) };
}

/** B7: many follow one swap. */
export async function followers(setting: Setting): Promise<void> {
  const { size, floors, print } = setting;
  await withNode(setting, async (bench) => {
    print('B7', {
      ...(await statusToFollowers(bench, { followers: 500, swaps: Math.ceil(size.claims / 5) })),
      aim: aims.status,
      floor: { p50: rounded(floors.fsync.p50 + floors.loopback.p50), of: 'one sync and one round trip' },
    });
  });
}
