import { Icon, type IconName } from '../../parts/icon.tsx';
import { hrefTo } from '../../stores/route.ts';
import { words } from '../../words/words.ts';

/** What is left when a computer, a provider or an operator is gone. */
export function Rescue() {
  const { rescue, ...text } = words.refunds;
  return (
    <section className="section" aria-labelledby="rescue">
      <h2 id="rescue">{rescue}</h2>
      <ul className="halves mt-4">
        <Way icon="key" title={text.words} means={text.wordsMean} href={hrefTo('restore')}>
          {text.wordsLink}
        </Way>
        <Way icon="shield" title={text.bundle} means={text.bundleMeans} href={hrefTo('settings', 'keys')}>
          {text.bundleLink}
        </Way>
        <Way icon="arch" title={text.wallets} means={text.walletsMean} href={hrefTo('wallets')}>
          {text.walletsLink}
        </Way>
        <Way icon="list" title={text.help} means={text.helpMeans} href={hrefTo('logs')}>
          {text.helpLink}
        </Way>
      </ul>
    </section>
  );
}

function Way({
  icon,
  title,
  means,
  href,
  children,
}: {
  icon: IconName;
  title: string;
  means: string;
  href: string;
  children: string;
}) {
  return (
    <li>
      <h3>
        <Icon name={icon} /> {title}
      </h3>
      <p className="sub">
        {means} <a href={href}>{children}</a>
      </p>
    </li>
  );
}
