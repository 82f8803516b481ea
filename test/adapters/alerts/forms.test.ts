import { describe, expect, test } from 'vitest';
import { addressIn } from '../../../engine/adapters/alerts/dead-man.ts';
import { ntfyMessage, telegramMessage, type Alert } from '../../../engine/adapters/alerts/forms.ts';
import { isRefusal, refuse } from '../../../engine/domain/errors.ts';

const alert: Alert = { time: 1, severity: 'act', sentence: 'The chain “stands” still.', swap_id: 'id', count: 10 };
const botToken = '123456:AAbbCCddEEffGGhhIIjjKKll';
const telegram = { url: 'https://api.telegram.org/', chat: '-100', token: botToken };

describe('an alert for ntfy', () => {
  test('is text with its severity as a priority, and the token where there is one', () => {
    expect([
      ntfyMessage('https://ntfy.example/mine', 'tk_1', alert),
      ntfyMessage('https://ntfy.example/mine', null, { time: 1, severity: 'info', sentence: 'All is well.' }),
    ]).toEqual([
      {
        url: 'https://ntfy.example/mine',
        headers: {
          'content-type': 'text/plain; charset=utf-8',
          title: 'Sluice',
          priority: 'high',
          authorization: 'Bearer tk_1',
        },
        body: 'The chain “stands” still.\nSwap id.\n10 times by now.',
      },
      {
        url: 'https://ntfy.example/mine',
        headers: { 'content-type': 'text/plain; charset=utf-8', title: 'Sluice', priority: 'low' },
        body: 'All is well.',
      },
    ]);
  });

  test('stays below the length of which ntfy makes an attachment, and whole in its characters', () => {
    const message = ntfyMessage('https://ntfy.example/mine', null, { ...alert, sentence: '€'.repeat(3_000) });
    const body = isRefusal(message) ? '' : message.body;
    expect([new TextEncoder().encode(body).length, /^€+$/.test(body)]).toEqual([3_999, true]);
  });
});

describe('an alert for Telegram', () => {
  test('is a call of the bot, to one chat', () => {
    expect(telegramMessage(telegram, alert)).toEqual({
      url: `https://api.telegram.org/bot${botToken}/sendMessage`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ chat_id: '-100', text: 'The chain “stands” still.\nSwap id.\n10 times by now.' }),
    });
  });
});

test('what a file holds instead of a token or an address is refused without showing it', () => {
  const wrong = 'a secret\nthat was not meant';
  const words = [
    ntfyMessage('https://ntfy.example/mine', wrong, alert),
    telegramMessage({ ...telegram, token: wrong }, alert),
    addressIn(wrong),
    addressIn(`ftp://${wrong}`),
  ].map((one) => (isRefusal(one) ? one.sentence : 'taken'));
  expect(
    words.map((sentence) => [/\.(tokenFile|urlFile) holds no/.test(sentence), sentence.includes('secret')]),
  ).toEqual([0, 1, 2, 3].map(() => [true, false]));
  const unread = refuse('not-found', 'The file cannot be read.');
  expect([
    ntfyMessage('https://ntfy.example/mine', unread, alert),
    telegramMessage({ ...telegram, token: unread }, alert),
    addressIn(unread),
  ]).toEqual([unread, unread, unread]);
  expect(addressIn('https://hc.example/ping/1\n')).toBe('https://hc.example/ping/1');
});
