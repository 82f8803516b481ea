import { plainText } from '../format/plain.ts';
import { networkName } from '../format/networks.ts';
import { Note } from '../parts/note.tsx';
import { isUnderWay } from '../records/payment.ts';
import { useReached } from '../stores/reached.ts';
import { useRecords } from '../stores/records.ts';
import { words } from '../words/words.ts';

/** Which of the node's networks do not answer, what that means for the owner's swaps, and what goes on. */
export function Away() {
  const networks = useRecords((state) => state.status?.networks) ?? [];
  const swaps = useRecords((state) => state.swaps) ?? [];
  const reached = useReached();
  const named = (wanted: 'away' | 'connected') =>
    networks.filter(({ state }) => state === wanted).map(({ name }) => name);
  const away = named('away');
  const works = named('connected');
  const held = networks.flatMap(({ name, waits }) => (waits === undefined ? [] : [{ name, waits }]));
  // Of a node that does not answer nobody knows what it reaches, nor that anything goes on.
  if (!reached || (away.length === 0 && held.length === 0)) return null;
  const waiting = swaps.filter(
    ({ give, get, open }) => open && [give, get].some(({ network }) => away.includes(network)),
  );
  const means = [words.away.yours(waiting.length)];
  const paid = waiting.filter(isUnderWay);
  const onArkade = away.includes('arkade') && paid.some(({ give }) => give.network === 'arkade');
  if (paid.length > 0) means.push(onArkade ? words.away.overTheChain : words.away.dates);
  means.push(words.away.refused);
  if (works.length > 0) means.push(words.away.works(works.map(networkName)));
  return (
    <div className="stack mb-6">
      {away.length === 0 ? null : (
        <Note tone="need" title={words.away.title(away.map(networkName))}>
          {means.join(' ')}
        </Note>
      )}
      {held.map(({ name, waits }) => (
        <Note key={name} tone="need" title={words.away.partly(networkName(name))}>
          {plainText(waits)}
        </Note>
      ))}
    </div>
  );
}
