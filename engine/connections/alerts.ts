import { createChannel, type Channel } from '../adapters/alerts/channel.ts';
import { addressIn, createDeadMan } from '../adapters/alerts/dead-man.ts';
import { ntfyMessage, telegramMessage, webhookMessage, type Alert, type Message } from '../adapters/alerts/forms.ts';
import type { Config } from '../config.ts';
import type { AlertTest } from '../contract/owner/alert-test.ts';
import type { OwnerEvent } from '../contract/owner/events.ts';
import type { Refusal } from '../domain/errors.ts';
import type { Log } from '../runtime/log.ts';
import { readCredentialFile, textOf } from './credentials.ts';

type Settings = Config['alerts'];
type ChannelName = Exclude<AlertTest['results'][number]['channel'], 'dead_man'>;

export interface AlertWays {
  /** Tells each way that is set, now and once, that this is a test. */
  test(): Promise<AlertTest>;
  /** The settings changed. */
  apply(): void;
  stop(): Promise<void>;
}

/** A line for each way to tell the owner; null where it is not set. */
const forms: Readonly<Record<ChannelName, (settings: Settings, alert: Alert) => Message | Refusal | null>> = {
  webhook: ({ webhookUrl }, alert) => (webhookUrl === null ? null : webhookMessage(webhookUrl, alert)),
  ntfy: ({ ntfy: { url, tokenFile } }, alert) =>
    url === null
      ? null
      : ntfyMessage(url, tokenFile === null ? null : tokenIn('alerts.ntfy.tokenFile', tokenFile), alert),
  telegram: ({ telegram: { url, chat, tokenFile } }, alert) =>
    chat === null || tokenFile === null
      ? null
      : telegramMessage({ url, chat, token: tokenIn('alerts.telegram.tokenFile', tokenFile) }, alert),
};

const isSet: Readonly<Record<ChannelName, (settings: Settings) => boolean>> = {
  webhook: ({ webhookUrl }) => webhookUrl !== null,
  ntfy: ({ ntfy }) => ntfy.url !== null,
  telegram: ({ telegram }) => telegram.chat !== null,
};

const channelNames = Object.keys(forms) as readonly ChannelName[];

/** Brings every alert to each way that is set when it comes, and asks for the dead-man address while all is well. */
export function postAlerts(options: {
  onEvent: (listener: (event: OwnerEvent) => void) => () => void;
  settings: () => Settings;
  isWell: () => boolean;
  wall: () => number;
  log: Log;
}): AlertWays {
  const { settings, wall, log } = options;
  const channels = new Map<ChannelName, Channel>(
    channelNames.map((channel) => [
      channel,
      createChannel({
        form: (alert) => forms[channel](settings(), alert),
        isSet: () => isSet[channel](settings()),
        onLost: (reason) => log.warn({ channel, reason }, 'an alert did not reach its owner'),
      }),
    ]),
  );
  const deadMan = createDeadMan({
    url: () => {
      const { urlFile } = settings().deadMan;
      return urlFile === null ? null : addressIn(tokenIn('alerts.deadMan.urlFile', urlFile));
    },
    everyMs: () => settings().deadMan.everySeconds * 1_000,
    isWell: options.isWell,
    onLost: (reason) => log.warn({ channel: 'dead_man', reason }, 'the dead-man address did not answer'),
  });
  const quiet = options.onEvent((event) => {
    if (event.type !== 'alert') return;
    for (const channel of channels.values()) channel.send(alertOf(event));
  });

  return {
    async test() {
      const alert: Alert = {
        time: wall(),
        severity: 'info',
        sentence: 'This is a test: alerts of this node arrive here.',
      };
      const tries = [
        ...[...channels]
          .filter(([name]) => isSet[name](settings()))
          .map(([name, way]) => [name, way.tryOnce(alert)] as const),
        ...(settings().deadMan.urlFile === null ? [] : [['dead_man', deadMan.tryOnce()] as const]),
      ];
      const results = await Promise.all(
        tries.map(async ([channel, outcome]) => {
          const reason = await outcome;
          return { channel, arrived: reason === null, ...(reason === null ? {} : { reason }) };
        }),
      );
      return { results };
    },
    apply: () => deadMan.apply(),
    async stop() {
      quiet();
      await Promise.all([...[...channels.values()].map((channel) => channel.stop()), deadMan.stop()]);
    },
  };
}

function alertOf({ time, severity, sentence, swap_id: swap, count }: OwnerEvent & { type: 'alert' }): Alert {
  return {
    time,
    severity,
    sentence,
    ...(swap === undefined ? {} : { swap_id: swap }),
    ...(count === undefined ? {} : { count }),
  };
}

/** Read when it is used: a token that was exchanged counts at once. */
function tokenIn(setting: string, path: string): string | Refusal {
  return textOf(readCredentialFile(setting, path, true));
}
