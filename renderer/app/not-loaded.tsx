import { Button } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { words } from '../words/words.ts';

/** The script of a page did not come: the node ended, or is another version by now. */
export function NotLoaded() {
  return (
    <Empty
      alone
      icon="search"
      title={words.shell.notLoaded}
      action={<Button onPress={() => location.reload()}>{words.shell.reload}</Button>}
    >
      {words.shell.notLoadedMeans}
    </Empty>
  );
}
