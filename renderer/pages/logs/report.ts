import type { Logs } from '../../../engine/contract/owner/logs.ts';
import type { OwnerStatus } from '../../../engine/contract/owner/status.ts';
import { utcText } from '../../format/moment.ts';

/** What is handed to somebody who helps: which node it is, how its networks stand, and the lines as they are shown. */
export function reportOf(status: OwnerStatus | null, lines: Logs['lines']): string {
  const head =
    status === null
      ? []
      : [
          `Sluice ${status.version}, ${status.network}, running since ${utcText(status.started)}`,
          `Paused: ${status.paused === null ? 'no' : `by ${status.paused.by} since ${utcText(status.paused.since)}`}`,
          ...status.networks.map(
            ({ name, state, height }) => `${name}: ${state}${height === undefined ? '' : `, height ${height}`}`,
          ),
          '',
        ];
  return [...head, ...lines.map(lineText)].join('\n').concat('\n');
}

/** `2026-11-22 20:41:00 UTC WARN the network cannot be used network=bitcoin` */
function lineText({ time, level, text, facts }: Logs['lines'][number]): string {
  const pairs = Object.entries(facts).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return [utcText(time), level.toUpperCase(), text, ...pairs].join(' ');
}
