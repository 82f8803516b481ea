import type { Doctor } from '../../../engine/contract/owner/doctor.ts';
import type { OwnerStatus } from '../../../engine/contract/owner/status.ts';
import { figureText } from '../../format/amount.ts';
import { plainText } from '../../format/plain.ts';
import { networkName } from '../../format/networks.ts';
import { spanText } from '../../format/span.ts';
import { hrefTo } from '../../stores/route.ts';
import { boardWords } from '../../words/board-words.ts';
import { directionText, standingOf, type SwapLine } from './swap-lines.ts';

/** One thing that asks for the owner, and where it is dealt with. */
export interface Alert {
  readonly key: string;
  readonly tone: 'danger' | 'need';
  readonly title: string;
  readonly means: string;
  readonly href: string;
  readonly act: string;
}

/** What is wrong by the node's own word, the worst first. `age`: seconds since it was read. */
export function alertsOf(
  status: OwnerStatus | null,
  lines: readonly SwapLine[],
  doctor: Doctor | null,
  age: number,
): Alert[] {
  const away = new Set(status?.networks.filter(({ state }) => state === 'away').map(({ name }) => name));
  const alerts = [
    ...lines.flatMap((line) => ofSwap(line, age)),
    ...(status?.networks ?? []).flatMap(ofNetwork),
    // A network that is away was said to be.
    ...(doctor?.rows ?? []).filter(({ network }) => !away.has(network)).flatMap(ofCheck),
  ];
  return alerts.toSorted((a, b) => Number(a.tone === 'need') - Number(b.tone === 'need'));
}

function ofSwap(line: SwapLine, age: number): Alert[] {
  const standing = standingOf(line, age);
  if (standing !== 'hand' && standing !== 'late') return [];
  const direction = directionText(line);
  return [
    {
      key: line.id,
      tone: 'danger',
      title:
        standing === 'hand'
          ? boardWords.flagged(direction)
          : boardWords.late(direction, spanText(age - (line.slack_seconds ?? 0))),
      means: plainText(line.next_action),
      href: hrefTo('board', line.id),
      act: boardWords.openSwap,
    },
  ];
}

function ofNetwork({ name, state, waits, unsaved_sats }: OwnerStatus['networks'][number]): Alert[] {
  const network = networkName(name);
  const settings = { href: hrefTo('settings'), act: boardWords.toSettings };
  const alerts: Alert[] = [];
  if (state === 'away')
    alerts.push({
      key: name,
      tone: 'danger',
      title: boardWords.away(network),
      means: boardWords.awayMeans,
      ...settings,
    });
  if (waits !== undefined)
    alerts.push({ key: `${name} waits`, tone: 'need', title: network, means: plainText(waits), ...settings });
  if (unsaved_sats !== undefined && unsaved_sats > 0)
    alerts.push({
      key: `${name} unsaved`,
      tone: 'need',
      title: boardWords.unsaved(boardWords.sats(figureText(String(unsaved_sats), 0)), network),
      means: boardWords.unsavedMeans,
      ...settings,
    });
  return alerts;
}

function ofCheck({ network, check, result, sentence }: Doctor['rows'][number]): Alert[] {
  if (result === 'pass') return [];
  return [
    {
      key: `${network} ${check} ${sentence}`,
      tone: result === 'fail' ? 'danger' : 'need',
      title: networkName(network),
      means: plainText(sentence),
      href: hrefTo('settings'),
      act: boardWords.toSettings,
    },
  ];
}
