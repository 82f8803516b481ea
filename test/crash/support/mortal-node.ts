import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { startProgram, tokenIn, type Program } from './program.ts';

/** The node as its clients see it: at one address, sometimes dead. */
export interface MortalNode {
  /** Milliseconds from start to ready of every start that was not cut short. */
  readonly readyTimes: number[];
  readonly kills: number;
  /** Milliseconds that it was up in all its lives. */
  upMs(): number;
  /** Where it answers from its first start on. */
  readonly url: string;
  readonly dataDir: string;
  readonly log: () => string;
  /** What its log said of a swap in all its lives. */
  logOf(swapId: string): string;
  start(): Promise<void>;
  /** Starts it and kills it `ms` after its start, ready or not. */
  startAndKillAfter(ms: number): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<void>;
  /** Asks until somebody answers who is not flooded. A body makes it a POST. */
  ask(path: string, body?: object, asOwner?: boolean): Promise<Answer>;
  /** Asks once; null when nobody answered: the request may have been heard all the same. */
  askOnce(path: string, body?: object, asOwner?: boolean): Promise<Answer | null>;
}

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

const patienceMs = 15_000;
const deadPauseMs = 60;
const floodPauseMs = 1_000;

export function mortalNode(
  entry: string,
  dataDir: string,
  extra: readonly string[],
  nodeArgs: readonly string[] = [],
): MortalNode {
  let program: Program | null = null;
  let url = '';
  let port = '0';
  let kills = 0;
  let upBefore = 0;
  let upSince: number | null = null;
  const readyTimes: number[] = [];
  /** Logs of the lives that are over. */
  const past: string[] = [];

  async function start(onStarted?: Parameters<typeof startProgram>[2]): Promise<void> {
    const args = ['--sandbox', '--data-dir', dataDir, '--port', port, ...extra];
    program = await startProgram(entry, args, onStarted, nodeArgs);
    if (program === null) return;
    url = program.ready.url;
    port = new URL(url).port;
    readyTimes.push(program.readyAfter);
    upSince = performance.now();
  }

  function down(): void {
    if (upSince !== null) upBefore += performance.now() - upSince;
    upSince = null;
    if (program !== null) past.push(program.log());
    program = null;
  }

  async function kill(): Promise<void> {
    await program?.kill();
    down();
    kills += 1;
  }

  async function askOnce(path: string, body?: object, asOwner = false): Promise<Answer | null> {
    try {
      const reply = await fetch(url + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(asOwner ? { authorization: `Bearer ${tokenIn(dataDir)}` } : {}),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(patienceMs),
      });
      return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
    } catch {
      return null;
    }
  }

  return {
    readyTimes,
    dataDir,
    get kills() {
      return kills;
    },
    get url() {
      return url;
    },
    upMs: () => upBefore + (upSince === null ? 0 : performance.now() - upSince),
    log: () => program?.log() ?? '',
    logOf: (swapId) =>
      [...past, program?.log() ?? '']
        .flatMap((log, life) => log.split('\n').flatMap((line) => (line.includes(swapId) ? `${life}: ${line}` : [])))
        .join('\n'),
    start: () => start(),
    async startAndKillAfter(ms) {
      let exited: Promise<unknown> = Promise.resolve();
      await start((child) => {
        exited = once(child, 'exit');
        setTimeout(() => child.kill('SIGKILL'), ms);
      });
      await exited;
      down();
      kills += 1;
    },
    kill,
    async stop() {
      await program?.stop();
      down();
    },
    askOnce,
    async ask(path, body, asOwner) {
      for (;;) {
        const answer = await askOnce(path, body, asOwner);
        // A patient client waits as long as a flooded node asks it to.
        if (answer !== null && answer.status !== 429) return answer;
        await pause(answer === null ? deadPauseMs : floodPauseMs);
      }
    },
  };
}
