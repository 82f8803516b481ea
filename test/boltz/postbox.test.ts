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
  const postbox = createPostbox(post, { pauses: [5, 5], ...(most === undefined ? {} : { most }) });
  ending.push(postbox);
  return { postbox, calls, atOnce, letGo: () => hanging.forEach((resolve) => resolve()) };
}

const at = (host: string): URL => new URL(`https://${host}/`);

test('a telling is tried again after a pause, so often and no more, and one that is refused is not', async () => {
  const { postbox, calls } = box((host) => (host === 'away.example' ? 'later' : 'never'));
  postbox.put('a', at('away.example'), '1');
  postbox.put('b', at('gone.example'), '1');
  await expect.poll(() => calls.length).toBe(4);
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(calls.toSorted()).toEqual([...Array.from({ length: 3 }, () => 'away.example 1'), 'gone.example 1']);
});

test('of one swap the newest alone waits, and none overtakes another', async () => {
  const { postbox, calls, atOnce } = box(() => 'taken');
  for (const word of ['first', 'second', 'third']) postbox.put('a', at('one.example'), word);
  await expect.poll(() => calls).toEqual(['one.example first', 'one.example third']);
  expect(atOnce.most).toBe(1);
});

test('a place that hangs holds two calls, whatever it is told, and the others are told', async () => {
  const { postbox, calls } = box((host) => (host === 'hangs.example' ? 'hangs' : 'taken'));
  for (let swap = 0; swap < 20; swap++) postbox.put(`hangs-${swap}`, at('hangs.example'), '1');
  postbox.put('a', at('well.example'), '1');
  await expect.poll(() => calls).toContain('well.example 1');
  expect(calls.filter((call) => call.startsWith('hangs')).length).toBe(2);
});

test('no more wait than there is room for, the oldest is given up, and eight are told at once', async () => {
  const { postbox, calls, atOnce, letGo } = box((host) => (host.startsWith('slow') ? 'hangs' : 'taken'), 12);
  for (let swap = 0; swap < 8; swap++) postbox.put(`slow-${swap}`, at(`slow-${swap}.example`), '1');
  for (let swap = 0; swap < 40; swap++) postbox.put(`a-${swap}`, at(`a-${swap}.example`), '1');
  expect([calls.length, atOnce.now]).toEqual([8, 8]);
  letGo();
  await expect.poll(() => calls.length).toBe(20);
  expect(calls.slice(8)).toEqual(Array.from({ length: 12 }, (_, place) => `a-${28 + place}.example 1`));
  expect(atOnce.most).toBe(8);
});
