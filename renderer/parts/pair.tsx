import { networkName } from '../format/networks.ts';
import { words } from '../words/words.ts';
import { Icon } from './icon.tsx';

/** From where to where; read as "to" to who does not see the arrow. */
export function NetworkPair({ from, to, href }: { from: string; to: string; href: string }) {
  return (
    <a className="pair" href={href}>
      {networkName(from)} <Icon name="to" />
      <span className="sr"> {words.parts.toNetwork} </span>
      {networkName(to)}
    </a>
  );
}
