import { isIP } from 'node:net';
import { z } from 'zod';
import { file, httpUrl } from './fields.ts';

/* How an owner who is not there hears of the node: alerts, metrics and the log. Tokens are named by their file. */

/** `127.0.0.1:9733` or `[::1]:9733`, in its parts; null for anything else. */
export function addressOf(text: string): { readonly host: string; readonly port: number } | null {
  const [, six, four, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = six ?? four ?? '';
  if (isIP(host) !== (six === undefined ? 4 : 6) || Number(port) < 1 || Number(port) > 65_535) return null;
  return { host, port: Number(port) };
}

const ntfy = z.strictObject({
  url: httpUrl.nullable().default(null).describe('Address of the topic, as https://ntfy.sh/a-name-of-yours.'),
  tokenFile: file.nullable().default(null).describe('File with the access token, where the topic asks for one.'),
});

const telegram = z.strictObject({
  chat: z
    .string()
    .regex(/^(-?\d{1,20}|@\w{5,32})$/, 'it takes the number of a chat, or @ and the name of a channel')
    .nullable()
    .default(null)
    .describe('Chat that the bot writes to.'),
  tokenFile: file.nullable().default(null).describe('File with the token of the bot.'),
  url: httpUrl.default('https://api.telegram.org').describe('Server of the bot interface.'),
});

const deadMan = z.strictObject({
  urlFile: file
    .nullable()
    .default(null)
    .describe(
      'File with the address that is asked for while the node is well: a service there tells you when that stops. ' +
        'Whoever knows the address can keep the service quiet, so it stands in a file as tokens do.',
    ),
  everySeconds: z.int().min(10).max(86_400).default(60).describe('How often it is asked for.'),
});

export const alerts = z.strictObject({
  webhookUrl: httpUrl.nullable().default(null).describe('Gets each alert as JSON by POST.'),
  ntfy: ntfy.prefault({}),
  telegram: telegram.prefault({}),
  deadMan: deadMan.prefault({}),
});

export const metrics = z.strictObject({
  listen: z
    .string()
    .refine((text) => addressOf(text) !== null, 'it takes an IP address and a port from 1 to 65535')
    .nullable()
    .default(null)
    .describe(
      "Where metrics and health are answered without the owner's token, as 127.0.0.1:9733: whoever reaches it reads " +
        'what the node holds and earns. GET /metrics of the API asks for the token.',
    ),
});

export const log = z.strictObject({
  level: z.enum(['info', 'warn', 'error']).default('info').describe('Lines below it are not written.'),
  redact: z
    .boolean()
    .default(true)
    .describe('Replace hosts, addresses, keys and paths in written lines by marks; the page shows them as they are.'),
});
