import { language } from '../words/language.ts';

const localParts = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

function partsOf(unix: number): Record<string, string> {
  return Object.fromEntries(localParts.formatToParts(unix * 1_000).map(({ type, value }) => [type, value]));
}

/** `Sun 22 Nov, 22:40`, on the clock of this machine. */
export function momentText(unix: number): string {
  const { weekday, day, month, hour, minute } = partsOf(unix);
  return `${weekday} ${day} ${month}, ${hour}:${minute}`;
}

/** `Sun 22 Nov` */
export function dateText(unix: number): string {
  const { weekday, day, month } = partsOf(unix);
  return `${weekday} ${day} ${month}`;
}

/** `22:40` */
export function clockText(unix: number): string {
  const { hour, minute } = partsOf(unix);
  return `${hour}:${minute}`;
}

/** `22:40:07` */
export function secondText(unix: number): string {
  return `${clockText(unix)}:${partsOf(unix)['second']}`;
}

/** `22:40` on the day of `begin`, `Sun 22:40` on any other: short enough for the label of now. */
export function nearText(unix: number, begin: number): string {
  const [a, b] = [partsOf(unix), partsOf(begin)];
  const sameDay = a['day'] === b['day'] && a['month'] === b['month'];
  return sameDay ? clockText(unix) : `${a['weekday']} ${clockText(unix)}`;
}

/** `2026-11-22 21:40:00 UTC` */
export function utcText(unix: number): string {
  return `${new Date(unix * 1_000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** For `<time datetime>`. */
export function machineText(unix: number): string {
  return new Date(unix * 1_000).toISOString().slice(0, 19) + 'Z';
}
