import { expect, test } from 'vitest';
import { addressOf } from '../../engine/config/operation.ts';
import { readConfig } from '../../engine/config.ts';
import { isRefusal } from '../../engine/domain/errors.ts';

function sentence(content: unknown): string | null {
  const config = readConfig({ flags: {}, environment: {}, file: { name: 'node.json', content }, stored: {} });
  return isRefusal(config) ? config.sentence : null;
}

test('an alert that lacks a part is refused by the part that is missing', () => {
  expect([
    sentence({ alerts: { ntfy: { tokenFile: '/t' } } }),
    sentence({ alerts: { telegram: { chat: '7' } } }),
    sentence({ alerts: { telegram: { tokenFile: '/t' } } }),
    sentence({ alerts: { telegram: { chat: 'my chat', tokenFile: '/t' } } }),
    sentence({ alerts: { deadMan: { everySeconds: 1 } } }),
    sentence({ alerts: { ntfy: { token: 'tk_1' } } }),
    sentence({ alerts: { ntfy: { url: 'https://ntfy.example/x', tokenFile: '/t' } } }),
  ]).toEqual([
    expect.stringContaining('alerts.ntfy.tokenFile is set without alerts.ntfy.url'),
    expect.stringContaining('alerts.telegram.chat is set without alerts.telegram.tokenFile'),
    expect.stringContaining('alerts.telegram.tokenFile is set without alerts.telegram.chat'),
    expect.stringContaining('it takes the number of a chat, or @ and the name of a channel'),
    expect.stringContaining('The setting alerts.deadMan.everySeconds cannot be 1'),
    expect.stringContaining('did you mean "alerts.ntfy.tokenFile"?'),
    null,
  ]);
});

test('the address of a listener is an IP address and a port, and nothing else', () => {
  const right = ['127.0.0.1:9733', '[::1]:9733', '0.0.0.0:1'].map((text) => addressOf(text));
  const wrong = [
    'localhost:9733',
    '127.0.0.1',
    '127.0.0.1:0',
    '127.0.0.1:65536',
    '[127.0.0.1]:1',
    '::1:9733',
    '300.0.0.1:1',
  ];
  expect([right, wrong.map((text) => addressOf(text))]).toEqual([
    [
      { host: '127.0.0.1', port: 9733 },
      { host: '::1', port: 9733 },
      { host: '0.0.0.0', port: 1 },
    ],
    wrong.map(() => null),
  ]);
  expect(sentence({ metrics: { listen: 'localhost:9733' } })).toBe(
    'The setting metrics.listen cannot be "localhost:9733": it takes an IP address and a port from 1 to 65535.',
  );
  expect(sentence({ log: { level: 'loud' } })).toMatch(/^The setting log\.level cannot be "loud": it takes /);
});
