import type { display as english } from '../en/display.ts';
import type { Part } from '../part.ts';

export const display: Part<typeof english> = {
  title: 'Beträge in deiner Währung',
  lead: 'Nur zur Anzeige neben Beträgen: Kein Swap, keine Grenze und keine Ablehnung benutzt diesen Preis.',
  url: 'Preisquelle',
  urlHint:
    'Eine Adresse, die JSON antwortet. Der Knoten fragt sie, solange diese Seite offen ist, höchstens einmal je Minute',
  path: 'Wo der Preis darin steht',
  pathHint: 'Namen mit Punkten dazwischen, etwa bitcoin.usd',
  currency: 'Währung',
  currencyHint: 'Ihre drei Großbuchstaben, etwa EUR',
  save: 'Speichern',
  saved: 'Gespeichert, gilt ab jetzt.',
  off: 'Niemanden fragen',
  isOff: 'Niemand wird mehr gefragt.',
  fillAll: 'Füll zuerst alle drei aus',
  about: (amount) => `≈ ${amount}`,
  price: (price, age) => `Ein Bitcoin kostet ${price}; gefragt vor ${age}.`,
  old: (age) => `Preis ${age} alt`,
  trouble: (why) => `Die Preisquelle antwortete nicht: ${why}.`,
  explorers: 'Explorer',
  explorersLead:
    'Wo du Transaktionen ansiehst. Wer einem Link folgt, zeigt diesem Server, welche Transaktion ihm gehört.',
  explorerHint: 'Eine https-Adresse mit {txid} darin. Leer: keine Links',
  open: 'Explorer',
  openThing: (network) => `Diese Transaktion im Explorer von ${network} ansehen`,
  theLink: 'den Link zum Explorer',
};
