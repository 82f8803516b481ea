import { logs } from './en/logs.ts';
import { translated } from './translation.ts';

/** The sentences of the log's page: they come with it and with the settings, which lead there. */
export const logsWords: typeof logs = translated('logs', logs);
