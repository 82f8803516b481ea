import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { asHash160, asPreimage, asXOnly } from '../../engine/domain/hash.ts';
import { sats } from '../../engine/domain/money.ts';
import { seconds, unix } from '../../engine/domain/time.ts';
import type { RescueEntry } from '../../engine/legs/rescue.ts';
import { openBundle, sealBundle, type Bundle } from '../../engine/rescue/bundle.ts';
import { seedOf } from '../support/node.ts';

const keysOf = (seed: number) => createKeys(seedOf(seed), 'regtest').sealingKey;
const keys = keysOf(1);

const swap: RescueEntry = {
  id: 'b8b8',
  direction: 'lightning-arkade',
  role: 'service',
  secret: asPreimage(new Uint8Array(32).fill(7)),
  claim: null,
  refund: {
    on: 'arkade',
    key: { branch: 'swap', index: 3 },
    coin: null,
    amount: sats(99_000),
    terms: {
      sender: asXOnly(new Uint8Array(32).fill(1)),
      receiver: asXOnly(new Uint8Array(32).fill(2)),
      operator: asXOnly(new Uint8Array(32).fill(3)),
      hash: asHash160(new Uint8Array(20).fill(4)),
      refundLocktime: unix(1_800_000_000),
      claimDelay: seconds(512),
      refundDelay: seconds(1_024),
      refundWithoutReceiverDelay: seconds(1_536),
    },
  },
  shown: true,
  stored: {
    createdAt: unix(1_789_999_000),
    status: 'clientredeemed',
    valueSats: 99_000n,
    terms: { hash: new Uint8Array(32).fill(5), amount: 99_000n },
    progress: { at: 'claiming', expiryHeight: 7 } as { readonly at: string },
    termsVersion: 1,
    progressVersion: 1,
    secret: asPreimage(new Uint8Array(32).fill(7)),
    transactions: [
      {
        txid: 'ef'.repeat(32),
        network: 'arkade',
        asset: 'btc',
        leg: 'arkade',
        purpose: 'claim',
        state: 'accepted',
        replaces: null,
        bytes: new Uint8Array(9).fill(6),
      },
    ],
  },
};
const bundle: Bundle = {
  written: unix(1_790_000_000),
  swaps: [swap],
  counters: { swap: 4, deposit: 2, change: 1 },
  walletTerms: [{ signer: asXOnly(new Uint8Array(32).fill(3)), exitDelay: 512 }],
  exitPaths: {
    coins: [
      {
        outpoint: { txid: 'ab'.repeat(32), vout: 1 },
        amount: sats(99_000),
        script: new Uint8Array(34).fill(9),
        expiresAt: unix(1_800_600_000),
        under: { signer: asXOnly(new Uint8Array(32).fill(3)), exitDelay: 512 },
      },
    ],
    roots: [{ outpoint: { txid: 'cd'.repeat(32), vout: 0 }, amount: sats(99_000), script: new Uint8Array(34) }],
    transactions: [new Uint8Array(120).fill(8)],
  },
  troubles: [{ of: 'operator', since: unix(1_789_000_000) }],
};

const sealed = () => Buffer.from(sealBundle(bundle, 'regtest', keys));

function sentenceOf(bytes: Uint8Array, by = keys, network: 'regtest' | 'signet' = 'regtest'): string {
  const opened = openBundle('the bundle', bytes, network, by);
  if (!isRefusal(opened)) throw new Error('it opened');
  return opened.sentence;
}

/** Another header or content, with the sum that anybody can make for it. */
function forged(change: (head: Record<string, unknown>, body: string) => [object, string]): Buffer {
  const [head = '', line = ''] = sealed().toString().split('\n');
  const [changed, content] = change(JSON.parse(head) as Record<string, unknown>, line.split(' ')[0] ?? '');
  const first = JSON.stringify(changed);
  const sum = createHash('sha256').update(`${first}\n${content}`).digest('hex').slice(0, 16);
  return Buffer.from(`${first}\n${content} ${sum}\n`);
}

test('a bundle holds what was sealed, and shows nothing of it', () => {
  expect(openBundle('it', sealed(), 'regtest', keys)).toEqual({ ...bundle, lost: 0 });
  expect(sealed().toString()).not.toContain('lightning-arkade');
  expect(sealed().toString()).not.toContain(Buffer.from(swap.secret ?? []).toString('base64'));
});

test('no two bundles of the same content are alike, so that no key is used with the same nonce twice', () => {
  expect(sealed().equals(sealed())).toBe(false);
});

test('a bundle that was cut off anywhere is told from a whole one', () => {
  const whole = sealed();
  for (const length of [0, 1, 40, Math.floor(whole.length / 2), whole.length - 1])
    expect(sentenceOf(whole.subarray(0, length))).toMatch(/damaged|was cut off/);
});

test('a bundle with one bit changed does not open, whichever bit it is', () => {
  const whole = sealed();
  for (let at = 0; at < whole.length; at += 37) {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] ?? 0) ^ 4;
    expect(isRefusal(openBundle('it', bytes, 'regtest', keys)), `byte ${at}`).toBe(true);
  }
});

test('content that was forged with a checksum of its own does not open', () => {
  const flipped = forged((head, body) => {
    const bytes = Buffer.from(body, 'base64');
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    return [head, bytes.toString('base64')];
  });
  expect(sentenceOf(flipped)).toMatch(/changed without the seed/);
  const renamed = forged((head, body) => [{ ...head, network: 'signet' }, body]);
  expect(sentenceOf(renamed, keys, 'signet')).toMatch(/changed without the seed/);
});

test('the bundle of another seed says so', () => {
  expect(sentenceOf(sealed(), keysOf(2))).toBe(
    'the bundle belongs to another seed: bring the words of the node that wrote it.',
  );
});

test('the bundle of another network says so', () => {
  expect(sentenceOf(sealed(), keys, 'signet')).toMatch(/is of regtest, the configuration is for signet/);
});

test('a bundle of an older or a newer version names the version and what to do', () => {
  const of = (version: number) => forged((head, body) => [{ ...head, version }, body]);
  expect(sentenceOf(of(0))).toMatch(
    /bundle version 0, which this build does not read any more .* use the Sluice that wrote it/,
  );
  expect(sentenceOf(of(4))).toMatch(/bundle version 4, which this build does not read any more/);
  expect(sentenceOf(of(6))).toMatch(/written by a newer Sluice \(bundle version 6, this build reads 5\)/);
});

test('what this build does not read is told, and nothing is thrown', () => {
  const keyless = { ...bundle, counters: { swap: 4 } } as unknown as Bundle;
  expect(sentenceOf(sealBundle(keyless, 'regtest', keys))).toMatch(/holds what this build does not read/);
});

test('a file of something else is no bundle', () => {
  expect(sentenceOf(Buffer.from('hello\n'))).toMatch(/no rescue bundle/);
  expect(sentenceOf(Buffer.from('{"sluice":"seed","version":1}\n\n\n'))).toMatch(/no rescue bundle/);
});
