import { z } from 'zod';
import { optional, request } from '../field.ts';
import { integerField, oneOf, text } from '../scalars.ts';
import { count, jsonObject, unixTime, words } from '../wire.ts';
import { cursor } from './fields.ts';

export const logLevels = ['info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

const logLine = z
  .object({
    number: count('Counts the lines since the node started'),
    time: unixTime('When it was written'),
    level: z.enum(logLevels).meta({ description: 'How grave it is' }),
    text: words('What happened'),
    swap: words('Swap or wallet job that it is about').nullable(),
    facts: jsonObject('What else the line says: texts, numbers and flags'),
  })
  .meta({ id: 'LogLine', description: 'A line of the log' });

export const logs = z.object({
  lines: z.array(logLine),
  next_cursor: words('Where the next page starts').nullable(),
  dropped: count('Older lines since the start that are not remembered any more'),
});
export type Logs = z.infer<typeof logs>;

/** GET /owner/logs, newest first. */
export interface LogsQuery {
  readonly swap: string | null;
  /** Lines of this level and graver ones. */
  readonly level: LogLevel;
  readonly text: string | null;
  /** With addresses, keys, transactions, hosts and files replaced by marks. */
  readonly redacted: boolean;
  /** Lines before the one of this number. */
  readonly before: number | null;
  readonly limit: number;
}

export const logsQuery = request(
  {
    swap: optional(text('swap', 'the id of a swap or wallet job', 100)),
    level: optional(oneOf('level', 'lines of this level and graver ones', logLevels)),
    q: optional(text('q', 'part of a line', 200)),
    redacted: optional(
      oneOf('redacted', 'true: addresses, keys, transactions, hosts and files as marks, to hand on', ['true', 'false']),
    ),
    cursor,
    limit: optional(integerField('limit', 'how many', 1, 1_000)),
  },
  (wire): LogsQuery => ({
    swap: wire.swap ?? null,
    level: wire.level ?? 'info',
    text: wire.q ?? null,
    redacted: wire.redacted === 'true',
    before: wire.cursor === undefined ? null : Number(wire.cursor),
    limit: wire.limit ?? 200,
  }),
);
