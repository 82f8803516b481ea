import { useEffect } from 'react';
import { useRecords } from './records.ts';

/** In case the node said nothing. */
const everyMs = 5_000;
const reconnectMs = 2_000;
/** Several events of one moment are one look. */
const gatherMs = 60;

/** Looks at the node now, whenever it says that something happened, and every few seconds in case it said nothing. */
export function useFollowing(): void {
  const connection = useRecords((state) => state.connection);
  const look = useRecords((state) => state.look);
  useEffect(() => {
    if (connection === null) return;
    let stop = () => {};
    let reconnect: ReturnType<typeof setTimeout> | undefined;
    let gathering: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      clearTimeout(gathering);
      gathering = setTimeout(() => void look(), gatherMs);
    };
    const listen = () => {
      stop = connection.listen(soon, () => (reconnect = setTimeout(listen, reconnectMs)));
    };
    listen();
    void look();
    const timer = setInterval(() => void look(), everyMs);
    return () => {
      clearInterval(timer);
      clearTimeout(reconnect);
      clearTimeout(gathering);
      stop();
    };
  }, [connection, look]);
}
