import { expect, test } from 'vitest';
import { wasNeverSent } from '../../engine/domain/never-sent.ts';

/** As Node says it: the call of the system that failed, and why. */
function failed(syscall: string | null, code: string): Error {
  return Object.assign(new Error(`${syscall ?? 'the proxy'} ${code}`), {
    code,
    ...(syscall === null ? {} : { syscall }),
  });
}
const byFetch = (cause: Error) => new TypeError('fetch failed', { cause });

test('a request whose connection was never made has left for nobody', () => {
  const unmade = [
    failed('connect', 'ECONNREFUSED'),
    failed('connect', 'EHOSTUNREACH'),
    failed('connect', 'ENETUNREACH'),
    failed('getaddrinfo', 'ENOTFOUND'),
    failed('getaddrinfo', 'EAI_AGAIN'),
    // A proxy that reaches nobody.
    failed(null, 'EHOSTUNREACH'),
    new AggregateError([failed('connect', 'ECONNREFUSED'), failed('connect', 'ENETUNREACH')]),
  ];
  expect(unmade.map((cause) => wasNeverSent(byFetch(cause)))).toEqual(unmade.map(() => true));
});

test('fault 163: a network that goes away under a connection may have carried the request', () => {
  const made = [
    failed('read', 'EHOSTUNREACH'),
    failed('read', 'ENETUNREACH'),
    failed('write', 'EHOSTUNREACH'),
    failed('write', 'ENETUNREACH'),
    failed('read', 'ECONNRESET'),
    new AggregateError([failed('connect', 'ECONNREFUSED'), failed('read', 'EHOSTUNREACH')]),
  ];
  expect(made.map((cause) => wasNeverSent(byFetch(cause)))).toEqual(made.map(() => false));
});
