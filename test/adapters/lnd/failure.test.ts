import { describe, expect, it } from 'vitest';
import { failureOf } from '../../../engine/adapters/lnd/failure.ts';
import type { Retry } from '../../../engine/domain/errors.ts';

/** Errors as ln-service 58.1.0 and grpc-js gave them with lnd 0.20.2-beta and 0.21.1-beta on regtest. */
const errors: [error: unknown, code: string, retry: Retry | 'as given'][] = [
  [[503, 'UnexpectedPaymentError', { err: { code: 14, details: 'Connection dropped' } }], 'lightning-away', 'as given'],
  [{ code: 14, details: 'No connection established. Last error: connect ECONNREFUSED' }, 'lightning-away', 'as given'],
  [
    {
      code: 14,
      details:
        'No connection established. Last error: Error: self-signed certificate; if the root CA is installed ' +
        'locally, try running Node.js with --use-system-ca. Resolution note: .',
    },
    'lightning-certificate',
    'as given',
  ],
  [{ code: 4, details: 'Deadline exceeded after 15.001s' }, 'lightning-timeout', 'as given'],
  [{ code: 1, details: 'Cancelled on client' }, 'lightning-away', 'as given'],
  [{ code: 13, details: 'Received RST_STREAM with code 2' }, 'lightning-away', 'as given'],
  [
    [
      503,
      'GetWalletInfoErr',
      {
        err: { code: 2, details: 'the RPC server is in the process of starting up, but not yet ready to accept calls' },
      },
    ],
    'lightning-starting',
    'safe',
  ],
  [{ code: 2, details: 'wallet locked, unlock it to enable full RPC access' }, 'lightning-starting', 'safe'],
  [[503, 'X', { err: { code: 2, details: 'permission denied' } }], 'lightning-unauthorized', 'safe'],
  [
    [503, 'X', { err: { code: 2, details: 'cannot determine data format of binary-encoded macaroon' } }],
    'lightning-unauthorized',
    'safe',
  ],
  [
    [503, 'UnexpectedAddHodlInvoiceError', { err: { code: 2, details: 'something else' } }],
    'lightning-error',
    'as given',
  ],
  [[503, 'UnknownStatusOfPayment'], 'lightning-error', 'as given'],
  [new Error('the stream ended without an answer'), 'lightning-error', 'as given'],
  ['boom', 'lightning-error', 'as given'],
];

describe('an error of lnd', () => {
  it('is never a definite no unless lnd said so: an unanswered call stays as unsure as its caller', () => {
    for (const unsure of ['safe', 'ask-first'] as const) {
      const failures = errors.map(([error]) => failureOf('pay', error, unsure));
      expect(failures.map(({ code, retry }) => [code, retry])).toEqual(
        errors.map(([, code, retry]) => [code, retry === 'as given' ? unsure : retry]),
      );
    }
  });

  it('says why there is no connection and leaves out what gRPC says around it', () => {
    const error = {
      code: 14,
      details: 'No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:31999. Resolution note: .',
    };
    expect(failureOf('describe itself', error, 'safe').message).toBe(
      'The Lightning node gave no answer when asked to describe itself: connect ECONNREFUSED 127.0.0.1:31999.',
    );
  });

  it('tells in words what was asked, and nothing of the call’s metadata', () => {
    const secret = '0201036c6e64';
    const error = Object.assign(new Error('14 UNAVAILABLE: away'), {
      code: 14,
      details: 'away',
      metadata: { macaroon: [secret] },
    });
    const failure = failureOf('settle a held payment', error, 'ask-first');
    expect(failure.message).toBe('The Lightning node gave no answer when asked to settle a held payment: away.');
    expect(
      JSON.stringify({ ...failure, message: failure.message, stack: failure.stack, cause: failure.cause }),
    ).not.toContain(secret);
  });
});
