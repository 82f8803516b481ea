import { expect, test } from 'vitest';
import { withoutLink } from '../../engine/connections/lnd-link.ts';
import { isRefusal } from '../../engine/domain/errors.ts';

const der = Buffer.from('30820122aabbccddeeff'.repeat(8), 'hex');
const secret = Buffer.from('0201036c6e64fffefdfc'.repeat(4), 'hex');
const macaroon = secret.toString('base64url');
const link = `lndconnect://node.example:10009?cert=${der.toString('base64url')}&macaroon=${macaroon}`;

function sentenceOf(lnd: object): string {
  const answer = withoutLink({ lnd: lnd as Record<string, unknown> });
  return isRefusal(answer) ? answer.sentence : 'it was taken';
}

test('a link is what it holds: socket, certificate as text, macaroon', () => {
  const answer = withoutLink({ lnd: { link }, terms: { feeBps: 30 } });
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  expect(answer).toEqual({
    lnd: {
      socket: 'node.example:10009',
      cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----`,
      macaroon: secret.toString('hex'),
    },
    terms: { feeBps: 30 },
  });
});

test('an address of version six, an onion, and a certificate as text are read too', () => {
  const text = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
  const socketOf = (of: string) => (withoutLink({ lnd: { link: of } }) as { lnd: { socket: string } }).lnd.socket;
  expect([
    socketOf(link.replace('node.example', '[::1]')),
    socketOf(link.replace('node.example', `${'a'.repeat(56)}.onion`)),
    withoutLink({
      lnd: { link: `lndconnect://h:1?cert=${Buffer.from(text).toString('base64')}&macaroon=${macaroon}` },
    }),
  ]).toMatchObject(['[::1]:10009', `${'a'.repeat(56)}.onion:10009`, { lnd: { cert: text } }]);
});

test('one without a certificate leaves that to who gives it beside', () => {
  const bare = `lndconnect://node.example:10009?macaroon=${macaroon}`;
  expect(withoutLink({ lnd: { link: bare, certFile: '/tls.cert' } })).toEqual({
    lnd: { certFile: '/tls.cert', socket: 'node.example:10009', macaroon: secret.toString('hex') },
  });
});

test('what is no such link is refused in a sentence that repeats nothing of it', () => {
  const broken = [
    'https://node.example:10009',
    'lndconnect://node.example?macaroon=AgED',
    'lndconnect://node.example:10009',
    `lndconnect://node.example:10009?macaroon=${macaroon.slice(0, 8)}!`,
    17,
  ];
  const sentences = broken.map((one) => sentenceOf({ link: one }));
  expect(new Set(sentences)).toEqual(
    new Set(['lnd.link cannot be read: give the whole lndconnect:// link, with host, port, cert and macaroon.']),
  );
  expect(sentenceOf({ link, macaroonFile: '/m' })).toMatch(/^lnd\.macaroon stands in lnd\.link and beside it/);
  expect(withoutLink({ lnd: { socket: 'h:1' } })).toEqual({ lnd: { socket: 'h:1' } });
});
