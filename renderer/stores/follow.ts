import { useEffect } from 'react';
import { useNode } from './node.ts';

const everyMs = 2_000;

/** Looks at the node now, whenever it says that something happened, and every two seconds in case it said nothing. */
export function useFollowing(): void {
  const connection = useNode((state) => state.connection);
  const look = useNode((state) => state.look);
  useEffect(() => {
    if (connection === null) return;
    let stop = () => {};
    let again: ReturnType<typeof setTimeout> | undefined;
    const listen = () => {
      stop = connection.listen(
        () => void look(),
        () => (again = setTimeout(listen, everyMs)),
      );
    };
    listen();
    void look();
    const timer = setInterval(() => void look(), everyMs);
    return () => {
      clearInterval(timer);
      clearTimeout(again);
      stop();
    };
  }, [connection, look]);
}
