import { afterEach, expect, test } from 'vitest';
import { createPostbox, type Post, type Postbox } from '../../engine/boltz/postbox.ts';

const ending: Postbox[] = [];
afterEach(() => {
  for (const one of ending.splice(0)) one.stop();
});

type Answer = Awaited<ReturnType<Post>>;

/** The calls by host and what they say; the answers come after a moment, and those that hang once they are let go. */
function box(answer: (host: string, json: string) => Answer | 'hangs', most?: number) {
  const calls: string[] = [];
  const atOnce = { now: 0, most: 0 };
  const hanging = new Set<() => void>();
  const post: Post = async ({ host }, json, signal) => {
    calls.push(`${host} ${json}`);
    atOnce.most = Math.max(atOnce.most, ++atOnce.now);
    const outcome = answer(host, json);
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve());
      if (outcome === 'hangs') hanging.add(resolve);
      else setTimeout(resolve, 2);
    });
    atOnce.now -= 1;
    return outcome === 'hangs' ? 'taken' : outcome;
  };
  const made = createPostbox(post, { pauses: [5, 5], ...(most === undefined ? {} : { most }) });
  const put = (id: string, url: URL, jsons: readonly string[], by = id) => made.put(id, url, jsons, by);
  const postbox = { ...made, put };
  ending.push(postbox);
  return { postbox, calls, atOnce, letGo: () => hanging.forEach((resolve) => resolve()) };
}

const at = (host: string): URL => new URL(`https://${host}/`);

test('a telling is tried again after a pause, so often and no more, and one that is refused is not', async () => {
  const { postbox, calls } = box((host) => (host === 'away.example' ? 'later' : 'never'));
  postbox.put('a', at('away.example'), ['1']);
  postbox.put('b', at('gone.example'), ['1']);
  await expect.poll(() => calls.length).toBe(4);
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(calls.toSorted()).toEqual([...Array.from({ length: 3 }, () => 'away.example 1'), 'gone.example 1']);
});

test('of one swap the newest alone waits, and none overtakes another', async () => {
  const { postbox, calls, atOnce } = box(() => 'taken');
  for (const word of ['first', 'second', 'third']) postbox.put('a', at('one.example'), [word]);
  await expect.poll(() => calls).toEqual(['one.example first', 'one.example third']);
  expect(atOnce.most).toBe(1);
});

test('what belongs together is told in its order, each once it was taken, and waits as one', async () => {
  let tries = 0;
  const { postbox, calls } = box((_, json) => (json === 'first' && ++tries === 1 ? 'later' : 'taken'));
  postbox.put('a', at('one.example'), ['first', 'second']);
  await expect.poll(() => calls).toEqual(['first', 'first', 'second'].map((word) => `one.example ${word}`));
  for (const words of [['third'], ['fourth'], ['fifth', 'sixth']]) postbox.put('a', at('one.example'), words);
  await expect.poll(() => calls.slice(3)).toEqual(['third', 'fifth', 'sixth'].map((word) => `one.example ${word}`));
});

test('a place that hangs holds two calls, whatever it is told, and the others are told', async () => {
  const { postbox, calls } = box((host) => (host === 'hangs.example' ? 'hangs' : 'taken'));
  for (let swap = 0; swap < 20; swap++) postbox.put(`hangs-${swap}`, at('hangs.example'), ['1']);
  postbox.put('a', at('well.example'), ['1']);
  await expect.poll(() => calls).toContain('well.example 1');
  expect(calls.filter((call) => call.startsWith('hangs')).length).toBe(2);
});

test('no more wait than there is room for, the oldest is given up, and eight are told at once', async () => {
  const { postbox, calls, atOnce, letGo } = box((host) => (host.startsWith('slow') ? 'hangs' : 'taken'), 12);
  for (let swap = 0; swap < 8; swap++) postbox.put(`slow-${swap}`, at(`slow-${swap}.example`), ['1']);
  for (let swap = 0; swap < 40; swap++) postbox.put(`a-${swap}`, at(`a-${swap}.example`), ['1']);
  expect([calls.length, atOnce.now]).toEqual([8, 8]);
  letGo();
  await expect.poll(() => calls.length).toBe(20);
  expect(calls.slice(8)).toEqual(Array.from({ length: 12 }, (_, place) => `a-${28 + place}.example 1`));
  expect(atOnce.most).toBe(8);
});

test('fault 268: a client whose places hang holds two calls, by however many names, and others are told', async () => {
  const { postbox, calls } = box((host) => (host.endsWith('hangs.example') ? 'hangs' : 'taken'));
  for (let swap = 0; swap < 400; swap++)
    postbox.put(`hangs-${swap}`, at(`${swap % 4}.hangs.example`), ['1'], 'stranger');
  expect(calls.length).toBe(2);
  postbox.put('a', at('well.example'), ['1'], 'client');
  expect(calls.at(-1)).toBe('well.example 1');
});

test('fault 268: of many clients whose places hang each has one call before any has another', () => {
  const { postbox, calls } = box(() => 'hangs');
  for (let swap = 0; swap < 20; swap++) postbox.put(`a-${swap}`, at(`a-${swap}.example`), ['1'], 'a');
  for (const by of ['b', 'c', 'd', 'e', 'f']) postbox.put(by, at(`${by}.example`), ['1'], by);
  expect(calls.map((call) => call[0]).join('')).toBe('aabcdef');
});

test('fault 268: of the tellings of a client fifty wait, and of too many those of whoever has most go', async () => {
  const { postbox, calls, letGo } = box((host) => (host.startsWith('slow') ? 'hangs' : 'taken'), 60);
  for (let swap = 0; swap < 8; swap++)
    postbox.put(`slow-${swap}`, at(`slow-${swap}.example`), ['1'], `slow-${swap >> 1}`);
  for (let swap = 0; swap < 10; swap++) postbox.put(`b-${swap}`, at('b.example'), [`${swap}`], 'b');
  for (let swap = 0; swap < 90; swap++) postbox.put(`c-${swap}`, at('c.example'), [`${swap}`], 'c');
  letGo();
  await expect.poll(() => calls.length).toBe(60);
  expect(calls.filter((call) => call.startsWith('b'))).toHaveLength(10);
  expect(calls.filter((call) => call.startsWith('c'))).toEqual(
    Array.from({ length: 42 }, (_, place) => `c.example ${48 + place}`),
  );
});

test('fault 268: what is tried again stands behind what came since', async () => {
  const { postbox, calls } = box((host) => (host === 'away.example' ? 'later' : 'taken'));
  for (let swap = 0; swap < 20; swap++) postbox.put(`${swap}`, at('away.example'), [`${swap}`], 'a');
  await expect.poll(() => calls.length).toBeGreaterThan(20);
  expect(new Set(calls.slice(0, 20)).size).toBe(20);
});
