import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';

/** Something that a person should know, as it is posted. */
export interface Alert {
  readonly time: number;
  readonly severity: 'info' | 'warn' | 'act';
  readonly sentence: string;
  readonly swap_id?: string;
  /** How often it happened by now, from the second telling on. */
  readonly count?: number;
}

/** One request that brings an alert to its owner. */
export interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The alert as JSON: for a program of the owner's. */
export function webhookMessage(url: string, alert: Alert): Message {
  return { url, headers: { 'content-type': 'application/json' }, body: JSON.stringify(alert) };
}

/** ntfy makes an attachment of what is longer (docs.ntfy.sh/publish). */
const mostNtfyBytes = 4_000;
const ntfyPriorities = { info: 'low', warn: 'default', act: 'high' } as const;

/** As ntfy takes it: the text is the body, all else a header (docs.ntfy.sh/publish). */
export function ntfyMessage(url: string, token: string | Refusal | null, alert: Alert): Message | Refusal {
  if (isRefusal(token)) return token;
  if (token !== null && !/^[\x21-\x7e]+$/.test(token))
    return refuse('invalid', 'The file of alerts.ntfy.tokenFile holds no token: put the token alone into it.');
  return {
    url,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      title: 'Sluice',
      priority: ntfyPriorities[alert.severity],
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    body: cutBytes(textOf(alert), mostNtfyBytes),
  };
}

/** The most characters of one message (core.telegram.org/bots/api#sendmessage). */
const mostTelegramCharacters = 4_096;

/** A call of the bot interface; the token is a part of its path, so that the address is never shown. */
export function telegramMessage(
  { url, chat, token }: { readonly url: string; readonly chat: string; readonly token: string | Refusal },
  alert: Alert,
): Message | Refusal {
  if (isRefusal(token)) return token;
  if (!/^\d+:[\w-]{20,}$/.test(token))
    return refuse(
      'invalid',
      'The file of alerts.telegram.tokenFile holds no token of a bot (a number, a colon and letters): put that alone into it.',
    );
  return {
    url: `${url.replace(/\/+$/, '')}/bot${token}/sendMessage`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chat_id: chat, text: textOf(alert).slice(0, mostTelegramCharacters) }),
  };
}

function textOf({ sentence, swap_id: swap, count }: Alert): string {
  return [
    sentence,
    ...(swap === undefined ? [] : [`Swap ${swap}.`]),
    ...(count === undefined ? [] : [`${count} times by now.`]),
  ].join('\n');
}

function cutBytes(text: string, most: number): string {
  return new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, most)).replace(/\uFFFD$/, '');
}
