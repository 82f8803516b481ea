import { promises } from 'node:dns';
import { afterEach, expect, test, vi } from 'vitest';
import { decodeInvoice } from '../../../engine/adapters/lnd/decode.ts';
import { lnurlResolver } from '../../../engine/adapters/lnurl/resolver.ts';
import { postToStranger } from '../../../engine/adapters/webhook/post.ts';
import { sats } from '../../../engine/domain/money.ts';

afterEach(() => vi.restoreAllMocks());

/** What this machine would look up, which a silent name server of a stranger's holds a thread of this process for. */
function watchSystem(): string[] {
  const lookups: string[] = [];
  vi.spyOn(promises, 'lookup').mockImplementation(((host: string) => {
    lookups.push(host);
    return new Promise(() => undefined);
  }) as never);
  return lookups;
}

test('fault 176: what a stranger names is looked up by the name servers, on no thread of this process', async () => {
  const lookups = watchSystem();
  const { prototype } = promises.Resolver;
  const four = vi.spyOn(prototype, 'resolve4').mockResolvedValue(['10.1.2.3'] as never);
  vi.spyOn(prototype, 'resolve6').mockResolvedValue([]);
  const resolver = lnurlResolver({ decode: decodeInvoice, limit: 300 });
  const payee = await resolver.check({ lightning_address: 'a@slow.example' }, sats(1_000n));
  const signal = AbortSignal.timeout(300);
  const posted = await postToStranger(new URL('https://posted.example/'), '{}', { mayAsk: () => false, signal });
  expect(lookups).toEqual([]);
  expect(four.mock.calls.map(([host]) => host)).toEqual(['slow.example', 'posted.example']);
  // Judged by where the name leads, as before.
  expect(payee).toMatchObject({ refusal: 'invalid', sentence: expect.stringContaining('private network') });
  expect(posted).toBe('never');
});

test('fault 176: name servers of strangers that say nothing end the call in its time', async () => {
  const lookups = watchSystem();
  vi.spyOn(promises.Resolver.prototype, 'resolve4').mockReturnValue(new Promise(() => undefined));
  const resolver = lnurlResolver({ decode: decodeInvoice, limit: 300 });
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => resolver.check({ lightning_address: `a@${i}.slow.example` }, sats(1_000n))),
  );
  expect(answers).toEqual(
    answers.map(() => ({ refusal: 'unavailable', sentence: expect.stringContaining('it took too long') })),
  );
  expect(lookups).toEqual([]);
});
