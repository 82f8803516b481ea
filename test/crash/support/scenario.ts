import { setTimeout as pause } from 'node:timers/promises';
import type { SandboxEndpoints } from '../../../engine/sandbox/endpoints.ts';
import type { FromBitcoin, FromHtlc } from '../../stories/client/from-bitcoin.ts';
import type { FromEvm } from '../../stories/client/from-evm.ts';
import { Refused, Unanswered } from '../../stories/client/http.ts';
import type { ToArkade } from '../../stories/client/to-arkade.ts';
import type { ToBitcoin, ToHtlc } from '../../stories/client/to-bitcoin.ts';
import type { ClaimedOnEvm } from '../../stories/client/to-evm.ts';
import type { Chance } from './chance.ts';
import type { MortalNode } from './mortal-node.ts';
import type { CrashDirection, SwapRecord } from './verdict.ts';
import type { Wallet } from './wallet.ts';

/** What the client of one swap did and saw. */
export interface Scenario {
  readonly direction: CrashDirection;
  readonly story: string;
  readonly hash: string;
  readonly record: SwapRecord;
  /** Statuses in the order in which they were seen. */
  readonly seen: string[];
  readonly toEvm?: ClaimedOnEvm;
  readonly fromEvm?: FromEvm;
  readonly toBitcoin?: ToBitcoin;
  readonly toArkade?: ToArkade;
  readonly toHtlc?: ToHtlc;
  readonly fromHtlc?: FromHtlc;
  readonly fromBitcoin?: FromBitcoin;
}

export interface Stage {
  readonly node: MortalNode;
  readonly wallet: Wallet;
  readonly endpoints: SandboxEndpoints;
  readonly chance: Chance;
  readonly scenarios: Scenario[];
  /** Milliseconds of the node's life for each thing that a client waits for, where it is not the usual time. */
  readonly patienceMs?: (since: number) => number;
}

export type Story = (stage: Stage) => Promise<void>;

const everyMs = 120;
const floodPauseMs = 1_000;
/** Of a node that is up: however slowly it starts, nobody gives up because it is dead. */
const usualPatienceMs = 120_000;

/** Goes on until `done` answers something; a node that is dead or a network that says no is asked again. */
export async function until<T>(
  { node, patienceMs = () => usualPatienceMs }: Pick<Stage, 'node' | 'patienceMs'>,
  what: string,
  scenario: Scenario,
  done: () => Promise<T | null | false>,
): Promise<T> {
  const [begun, since] = [node.upMs(), performance.now()];
  let last: unknown = null;
  for (;;) {
    try {
      const answer = await done();
      if (answer !== null && answer !== false) return answer;
    } catch (cause) {
      last = cause;
      if (isFlooded(cause)) await pause(floodPauseMs);
    }
    const patience = patienceMs(since);
    if (node.upMs() - begun > patience)
      throw new Error(
        `${scenario.story}, swap ${scenario.record.id}: still waits for ${what} after ${patience / 1_000} s of the ` +
          `node's life (seen ${scenario.seen.join(' > ')}, last ${String(last)})`,
        { cause: last },
      );
    await pause(everyMs);
  }
}

function isFlooded(cause: unknown): boolean {
  return cause instanceof Refused && cause.status === 429;
}

export async function look({ node }: Stage, scenario: Scenario): Promise<string> {
  const { status, body } = await node.ask(`/swap/${scenario.record.id}`);
  if (status !== 200)
    throw new Error(
      `GET /swap/${scenario.record.id} answered ${status} ${JSON.stringify(body)}: the node forgot a swap that it had ` +
        'answered',
    );
  const now = String(body['status']);
  if (scenario.seen.at(-1) !== now) scenario.seen.push(now);
  return now;
}

/** Whether our leg is out, or the swap is over; one that its client could not fund in time expires. */
export function isLockDecided(status: string): boolean {
  return overForClient.has(status) || ['serverfunded', 'clientredeemed', 'expired'].includes(status);
}

/** How the wait for our leg ends, as a status. */
export function lockOrEnd(stage: Stage, what: string, scenario: Scenario): Promise<string> {
  return until(stage, what, scenario, async () => {
    const now = await look(stage, scenario);
    return isLockDecided(now) ? now : null;
  });
}

/** A create that nobody answered leaves the client with nothing: `make` begins again with another hash. */
export async function opened<T>(make: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await make();
    } catch (cause) {
      const waits = cause instanceof Refused && (cause.status === 503 || cause.status === 429);
      if (!waits && !(cause instanceof Unanswered)) throw cause;
      await pause(isFlooded(cause) ? floodPauseMs : everyMs);
    }
  }
}

/** Longer than any block of the sandbox's EVM chains takes to come. */
const lostAfterMs = 20_000;

/** What the weather made of a client's own transaction: it waits no longer than for a block, and sends it again. */
export async function unlessLost<T>(sent: Promise<T>): Promise<T> {
  const ended = new AbortController();
  const lost = pause(lostAfterMs, null, { signal: ended.signal }).then(() => {
    throw new Error('the transaction was lost');
  });
  sent.catch(() => undefined); // told here, or nobody waits for it any more
  return Promise.race([sent, lost]).finally(() => ended.abort());
}

export function begin(stage: Stage, scenario: Omit<Scenario, 'seen'>): Scenario {
  const begun: Scenario = { ...scenario, seen: [] };
  stage.scenarios.push(begun);
  return begun;
}

/** After which a client has nothing to wait for but its refund. */
export const overForClient: ReadonlySet<string> = new Set([
  'serverredeemed',
  'clientrefunded',
  'serverwontfund',
  'clientinvalidfunded',
  'clientfundedtoolate',
]);

export async function untilOver(stage: Stage, scenario: Scenario): Promise<string> {
  return until(stage, 'the end', scenario, async () => {
    const status = await look(stage, scenario);
    return overForClient.has(status) ? status : null;
  });
}

export function nameOf({ direction, story, record }: Pick<Scenario, 'direction' | 'story' | 'record'>): string {
  return `${direction}, ${story}, swap ${record.id}`;
}

/** Its journal, a line each. */
export async function historyOf({ node }: Pick<Stage, 'node'>, { record }: Pick<Scenario, 'record'>): Promise<string> {
  const answer = await node.askOnce(`/owner/swaps/${record.id}`, undefined, true);
  const journal = (answer?.body['journal'] ?? []) as { from: string; to: string; event: string; effects: string[] }[];
  return journal.map((line) => `    ${line.from} -${line.event}-> ${line.to} [${line.effects.join(' ')}]`).join('\n');
}

/** The state that its node has saved. */
export async function standOf({ node }: Pick<Stage, 'node'>, { record }: Pick<Scenario, 'record'>): Promise<string> {
  const answer = await node.askOnce(`/owner/swaps/${record.id}`, undefined, true);
  return `    stands at ${JSON.stringify(answer?.body['progress'] ?? null)}`;
}
