import type { TrayState } from './tray-monitor.ts';
import type { Stakes } from './stakes.ts';

/** Every sentence that the desktop says by itself: in its tray, its dialogs and its notifications. */
export const sentences = {
  cannotStart: 'Sluice cannot start',
  unexpected: 'An unexpected error: the log has its cause.',
  openAlready: 'Sluice is open already: its window comes to the front.',
  notBuilt: 'The page is not built: run "npm start", which builds it.',
  inspected:
    'Sluice does not run with switches for inspection or debugging, by which other programs could read its keys: ' +
    'start it without them.',
  foreignPage: 'Only the page of this program may call its engine.',
  noRoute: 'The call names no route of the contract.',
  tooManyCalls: 'The page asks for too much at once: wait until some of it is answered.',
  callTooLong: 'The call is longer than any that the engine takes.',
  nodeOff: 'The node is not running: it starts once the keys of its folder are there and open.',
  noPress: 'Declined: this needs a press of a key or a button in the window of Sluice.',
  tray: { open: 'Open Sluice', quit: 'Quit' },
  quit: {
    title: 'Quit Sluice?',
    risk: 'While Sluice is closed it makes no claim and no refund. What is not claimed by its date can be lost.',
    stay: 'Keep running',
    leave: 'Quit anyway',
  },
  act: (summary: string) => ({
    title: 'Do what the window asks for?',
    detail:
      `The window asks for this: ${summary}. It moves money or changes what may be spent, and no key or button was ` +
      'pressed for it just now.',
    yes: 'Do it',
    no: 'Do not do it',
  }),
  show: {
    title: 'Show the recovery words?',
    detail: 'Whoever sees the words owns the money. Go on only if you asked for them just now and nobody looks on.',
    yes: 'Show the words',
    no: 'Do not show them',
  },
  notice: {
    claimed: { title: 'A swap has finished', body: 'What you swapped for has arrived.' },
    returned: { title: 'A swap came back', body: 'What you sent has been returned to you.' },
    'needs-you': { title: 'A swap needs you', body: 'It waits for something that only you can do.' },
    'deadline-near': { title: 'A swap is in danger', body: 'Open Sluice now: its deadline is near.' },
    alert: { title: 'Your node needs you' },
  },
} as const;

/** What the tray says of the node, in one line. */
export function trayLine({ running, stakes, needsYou, inDanger }: TrayState): string {
  if (!running) return 'Sluice: the node is not running';
  if (stakes === null) return 'Sluice: the node does not answer';
  const parts = [
    stakes.open === 0 ? 'no swap is open' : openSwaps(stakes.open),
    ...(needsYou === 0 ? [] : [needsYou === 1 ? 'one needs you' : `${needsYou} need you`]),
    ...(inDanger === 0 ? [] : [inDanger === 1 ? 'one is in danger' : `${inDanger} are in danger`]),
    ...(stakes.paused ? ['new swaps are paused'] : []),
  ];
  return `Sluice: ${parts.join(', ')}`;
}

/** What is asked before the program ends while swaps are open; null stakes are those that the node did not tell. */
export function quitQuestion(stakes: Stakes | null): string {
  if (stakes === null) return `The node does not say whether swaps are open. ${sentences.quit.risk}`;
  const locked =
    stakes.atRiskSats === 0 ? '' : ` ${stakes.atRiskSats.toLocaleString('en')} sats of this node are locked.`;
  const open = openSwaps(stakes.open);
  return `${open.charAt(0).toUpperCase()}${open.slice(1)}.${locked} ${sentences.quit.risk}`;
}

function openSwaps(count: number): string {
  return count === 1 ? 'one swap is open' : `${count} swaps are open`;
}
