import { createWebhook, type Webhook } from '../adapters/webhook/webhook.ts';
import type { OwnerEvent } from '../contract/owner/events.ts';
import type { Log } from '../runtime/log.ts';

/** Posts every alert to the address that is in force when it comes. */
export function postAlerts(options: {
  onEvent: (listener: (event: OwnerEvent) => void) => () => void;
  url: () => string | null;
  log: Log;
}): Pick<Webhook, 'stop'> {
  const webhook = createWebhook({
    url: options.url,
    onLost: (reason) => options.log.warn({ reason }, 'an alert did not reach alerts.webhookUrl'),
  });
  options.onEvent((event) => {
    if (event.type !== 'alert') return;
    const { time, severity, sentence, swap_id: swap, count } = event;
    webhook.send({
      time,
      severity,
      sentence,
      ...(swap === undefined ? {} : { swap_id: swap }),
      ...(count === undefined ? {} : { count }),
    });
  });
  return webhook;
}
