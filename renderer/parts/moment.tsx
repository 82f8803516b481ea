import { clockText, dateText, machineText, momentText, secondText, utcText } from '../format/moment.ts';

const texts = { day: momentText, date: dateText, clock: clockText, second: secondText } as const;

/** A moment in local time; UTC on hover. */
export function Moment({ at, as = 'day' }: { at: number; as?: keyof typeof texts }) {
  return (
    <time dateTime={machineText(at)} title={utcText(at)}>
      {texts[as](at)}
    </time>
  );
}
