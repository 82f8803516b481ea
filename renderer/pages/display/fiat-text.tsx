import { fiatText, moneyText } from '../../format/fiat.ts';
import { spanText } from '../../format/span.ts';
import { useDisplay } from '../../stores/display.ts';
import { displayWords } from '../../words/display-words.ts';

/** Beyond this the age of a price is said beside each amount. */
const oldSeconds = 600;

/** What so many sats are in the owner's currency; nothing where no source is set, or it said nothing. */
export function FiatText({ sats }: { sats: string }) {
  const fiat = useDisplay()?.fiat ?? null;
  if (fiat === null) return null;
  const age = fiat.age_seconds > oldSeconds ? ` (${displayWords.old(spanText(fiat.age_seconds))})` : '';
  return <span className="sub num">{`${displayWords.about(fiatText(sats, fiat))}${age}`}</span>;
}

/** By which price, and how old it is. */
export function FiatPrice() {
  const shown = useDisplay();
  if (shown === null) return null;
  const { fiat, trouble } = shown;
  if (fiat === null && trouble === null) return null;
  return (
    <p className="sub mt-2">
      {fiat === null
        ? null
        : displayWords.price(moneyText(fiat.price, fiat.currency), spanText(Math.max(1, fiat.age_seconds)))}{' '}
      {trouble === null ? null : displayWords.trouble(trouble)}
    </p>
  );
}
