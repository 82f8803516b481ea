import type { OwnerEvent } from '../../engine/contract/owner/events.ts';
import type { OwnerSwaps } from '../../engine/contract/owner/swaps.ts';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import { takerDirections, type TakerDirection } from '../../engine/domain/chain.ts';
import { everyDirection, patienceMs, type EveryDirection } from '../stories/every-direction.ts';
import { payFromOutside } from '../stories/pay-from-outside.ts';
import { eventually, startWireNode, type WireNode } from '../stories/wire-node.ts';
import { npmStart } from '../support/npm-start.ts';
import type { Setting } from './setting.ts';
import { quantiles } from './trace.ts';

type Role = 'client' | 'provider';

/** One swap: whether it ended as it should, and how often anybody was asked to look at it. */
interface Played {
  readonly well: boolean;
  readonly seconds: number;
  readonly flags: number;
  /** Where it stood, where that is not its good end. */
  readonly stands: string | null;
}

/**
 * Nothing waits for a person, and what takes longest is a coin on the Bitcoin chain, six blocks of five seconds deep.
 */
const aim = { flags: 0, seconds: { max: 90 } };

/**
 * What `npm start` starts, flag by flag, makes each direction again and again as its own client and as the provider of
 * a plain one: a row of swaps for each, one after the other, and all rows side by side.
 */
export async function directions({ size, print }: Pick<Setting, 'size' | 'print'>): Promise<void> {
  const node = await startWireNode({ program: npmStart.arguments, mode: [], environment: npmStart.environment });
  try {
    const every = await everyDirection(node);
    const alerts: Alert[] = [];
    await hear(node, alerts);
    const play = playersOf(node, every, alerts);
    const rows = takerDirections.flatMap((direction) =>
      (['client', 'provider'] as const).map(async (role) => {
        const played: Played[] = [];
        for (let i = 0; i < size.ends; i++) played.push(await play[role](direction));
        return report(direction, role, played, print);
      }),
    );
    console.error(tableOf(await Promise.all(rows)));
    for (const { sentence } of alerts) console.error(sentence);
    for (const line of errors(node)) console.error(line);
  } finally {
    await node.stop();
  }
}

type Alert = OwnerEvent & { type: 'alert' };

/** What the node tells its owner to do, until it stops. */
async function hear({ url, token }: WireNode, alerts: Alert[]): Promise<void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/owner/events`, [token]);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error('the events of the owner cannot be heard')));
  });
  socket.addEventListener('message', ({ data }) => {
    const event = JSON.parse(String(data)) as OwnerEvent;
    if (event.type === 'alert') alerts.push(event);
  });
}

function playersOf(node: WireNode, every: EveryDirection, alerts: readonly Alert[]) {
  const one = oneAtATime();

  /** Those of a swap: of its own and in the alerts. */
  async function flagsOf(id: string | null): Promise<number> {
    const { swaps } = (await node.owner('GET', `/owner/swaps?q=${id ?? ''}`)) as unknown as OwnerSwaps;
    const count = alerts.filter(({ swap_id }) => swap_id === id).length;
    return count + swaps.filter((swap) => swap.id === id && swap.flagged).length;
  }

  /**
   * What is to be paid with tokens waits for them at one account for all swaps: the next is opened once those are
   * taken.
   */
  const openAndPay = async (direction: TakerDirection): Promise<{ paid: TakerSwap; begun: number }> => {
    const begun = performance.now();
    const shown = await every.open(direction);
    await payFromOutside(node, shown);
    const paid = await eventually(
      () => every.swapOf(shown.id),
      ({ phase }) => phase !== 'pay',
      patienceMs,
    );
    return { paid, begun };
  };

  return {
    async client(direction: TakerDirection): Promise<Played> {
      let alarms = 0;
      const open = () => openAndPay(direction);
      const { paid, begun } = direction.startsWith('evm') ? await one(open) : await open();
      const look = async () => {
        const swap = await every.swapOf(paid.id);
        if (swap.attention === 'danger' || swap.reason === 'flagged') alarms++;
        return swap;
      };
      const ended = await last(look, ({ open }) => !open);
      const seconds = (performance.now() - begun) / 1_000;
      const well = ended.outcome === 'finished' && ended.get.amount === paid.get.amount;
      const stands = well ? null : `${ended.at}: ${ended.reason ?? 'no reason'}, ${ended.detail ?? 'no detail'}`;
      const flags = Math.min(1, alarms) + (await flagsOf(paid.id)) + (await flagsOf(ended.provider_swap_id));
      return { well, seconds, flags, stands };
    },
    async provider(direction: TakerDirection): Promise<Played> {
      const begun = performance.now();
      const { id } = await every.serve(direction);
      const { status } = await last(
        () => node.get(`/swap/${id}`),
        (record) => record['status'] === 'serverredeemed',
      );
      const seconds = (performance.now() - begun) / 1_000;
      const well = status === 'serverredeemed';
      return { well, seconds, flags: await flagsOf(id), stands: well ? null : String(status) };
    },
  } satisfies { readonly [R in Role]: (direction: TakerDirection) => Promise<Played> };
}

/** The first answer that passes, or the last one that there was in time. */
async function last<T>(read: () => Promise<T>, test: (value: T) => boolean): Promise<T> {
  let answer = await read();
  const look = async () => (answer = await read());
  await eventually(look, test, patienceMs).catch(() => undefined);
  return answer;
}

interface Row {
  readonly direction: TakerDirection;
  readonly role: Role;
  readonly ended: string;
  readonly p50: number;
  readonly max: number;
  readonly flags: number;
}

function report(direction: TakerDirection, role: Role, played: readonly Played[], print: Setting['print']): Row {
  const well = played.filter((one) => one.well).length;
  const flags = played.reduce((sum, one) => sum + one.flags, 0);
  const { p50, worst: max } = quantiles(played.map(({ seconds }) => seconds));
  const stands = played.flatMap((one) => one.stands ?? []);
  const seconds = { p50, max };
  print('directions', { direction, what: `as ${role}`, well, of: played.length, seconds, flags, stands, aim });
  if (well < played.length || flags > 0) process.exitCode = 1;
  return { direction, role, ended: `${well} of ${played.length}`, p50, max, flags };
}

function tableOf(rows: readonly Row[]): string {
  const cells = rows.map(({ direction, role, ended, p50, max, flags }) => [
    direction,
    role,
    ended,
    p50.toFixed(1),
    max.toFixed(1),
    `${flags}`,
  ]);
  const all = [['direction', 'role', 'ended well', 's p50', 's max', 'flags'], ...cells];
  return all.map((row) => row.map((cell, at) => cell.padEnd(at === 0 ? 18 : 11)).join('')).join('\n');
}

/** Errors of the node: a warning tells of each try that waits for a block. */
function errors({ log }: WireNode): string[] {
  return log.filter((line) => line.startsWith('{') && (JSON.parse(line) as { level: number }).level >= 50);
}

/** Runs what it is given one after the other. */
function oneAtATime(): <T>(act: () => Promise<T>) => Promise<T> {
  let before: Promise<unknown> = Promise.resolve();
  return (act) => {
    const mine = before.then(act, act);
    before = mine.catch(() => undefined);
    return mine;
  };
}
