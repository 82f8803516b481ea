import { ButtonLink } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { hrefTo } from '../stores/route.ts';
import { words } from '../words/words.ts';
import { firstPage } from './pages.ts';

export function NotHere() {
  return (
    <Empty
      alone
      icon="search"
      title={words.shell.notHere}
      action={<ButtonLink href={hrefTo(firstPage)}>{words.shell.toSwap}</ButtonLink>}
    >
      {words.shell.notHereMeans}
    </Empty>
  );
}
