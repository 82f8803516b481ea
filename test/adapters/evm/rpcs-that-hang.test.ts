import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createHeights } from '../../../engine/adapters/evm/heights.ts';
import { RpcError, type Rpc } from '../../../engine/adapters/evm/rpc.ts';
import { createSources } from '../../../engine/adapters/evm/sources.ts';
import { NoAnswer } from '../../../engine/adapters/probe/answer.ts';

const limitMs = 5_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => void vi.useRealTimers());

type Answers = 'well' | 'never' | 'busy';

/** An RPC of chain 137, and how often it was asked for the number of its last block. */
function rpcOf() {
  const own = { answers: (_method: string): Answers => 'well', questions: 0 };
  const rpc: Rpc = (method) => {
    if (method === 'eth_blockNumber') own.questions += 1;
    const how = own.answers(method);
    if (how === 'never')
      return new Promise((_, reject) => setTimeout(() => reject(new NoAnswer('late', 'it is late')), limitMs));
    if (how === 'busy') return Promise.reject(new RpcError(method, 429, 'too many requests'));
    if (method === 'eth_chainId') return Promise.resolve('0x89');
    if (method === 'eth_blockNumber') return Promise.resolve('0x10');
    const word = `0x${'11'.repeat(32)}`;
    return Promise.resolve({ number: '0x0', hash: word, parentHash: word, timestamp: '0x0' });
  };
  return { own, rpc };
}

/** Two RPCs, asked once a second. */
function sceneOf() {
  const sources = createSources(137, ['http://first.example', 'http://second.example'], null);
  const [first, second] = [rpcOf(), rpcOf()];
  for (const [i, { rpc }] of [first, second].entries()) Object.assign(sources.all[i] ?? {}, { rpc });
  const heights = createHeights(sources);
  const answers: string[] = [];
  const timer = setInterval(() => void heights((rpc) => answers.push(rpc)), 1_000);
  const answersOf = (name: string): number => answers.filter((one) => one === `${name}.example`).length;
  return { sources, first: first.own, answers, answersOf, stop: () => clearInterval(timer) };
}

const pass = (seconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(1_000 * seconds);

it('one that hangs is asked once meanwhile, and keeps nobody from hearing of the others', async () => {
  const { first, answers, answersOf, stop } = sceneOf();
  await pass(2.5);
  first.answers = () => 'never';
  first.questions = answers.length = 0;
  await pass(4);
  stop();
  expect([first.questions, answersOf('first'), answersOf('second')]).toEqual([1, 0, 4]);
});

it('one that wants fewer questions is soon asked as many as it bears, and as many as before after that', async () => {
  const { first, answers, answersOf, stop } = sceneOf();
  await pass(2.5);
  let leastPause = 4_000;
  let takenAt = -Infinity;
  first.answers = (method) => {
    if (method !== 'eth_blockNumber') return 'well';
    if (performance.now() - takenAt < leastPause) return 'busy';
    takenAt = performance.now();
    return 'well';
  };
  first.questions = answers.length = 0;
  await pass(120);
  expect(answersOf('first')).toBeGreaterThan(15);
  expect(first.questions - answersOf('first')).toBeLessThan(8);
  leastPause = 0;
  await pass(120);
  answers.length = 0;
  await pass(60);
  stop();
  expect([answersOf('first'), answersOf('second')]).toEqual([60, 60]);
});

it('while one that hung is tried again nobody else waits for it, and it is back once it answers', async () => {
  const { sources, first, stop } = sceneOf();
  const tips = () => sources.each((source) => sources.ask(source, 'eth_getBlockByNumber', 'latest', false));
  await pass(2.5);
  first.answers = () => 'never';
  await pass(8);
  let longest = 0;
  for (let i = 0; i < 40; i++) {
    await pass(1);
    const begun = performance.now();
    let isOver = false;
    void tips().finally(() => (isOver = true));
    while (!isOver) await pass(0.05);
    longest = Math.max(longest, performance.now() - begun);
  }
  first.answers = () => 'well';
  await pass(70);
  const both = await tips();
  stop();
  expect(longest).toBeLessThan(1_000);
  expect(both).toHaveLength(2);
});

it('who the chain is, once that is settled, is said by whoever answers first', async () => {
  const { sources, first, stop } = sceneOf();
  stop();
  const settled = await sources.identity();
  first.answers = () => 'never';
  const asking = sources.identity();
  expect(await Promise.race([asking, pass(1)])).toEqual(settled);
});
