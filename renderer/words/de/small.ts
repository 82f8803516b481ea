import type { away as enAway } from '../en/away.ts';
import type { band as enBand } from '../en/band.ts';
import type { gate as enGate } from '../en/gate.ts';
import type { labels as enLabels } from '../en/labels.ts';
import type { logs as enLogs } from '../en/logs.ts';
import type { networks as enNetworks } from '../en/networks.ts';
import type { parts as enParts } from '../en/parts.ts';
import type { prices as enPrices } from '../en/prices.ts';
import type { review as enReview } from '../en/review.ts';
import type { Part } from '../part.ts';
import { plural } from './plural.ts';

const list = new Intl.ListFormat('de');

export const away: Part<typeof enAway> = {
  title: (networks) =>
    `${list.format(networks)} ${plural(networks.length, { one: 'antwortet', other: 'antworten' })} nicht`,
  partly: (network) => `${network} antwortet nur zum Teil`,
  yours: (swaps) =>
    swaps === 0
      ? 'Kein Swap von dir wartet darauf.'
      : `${plural(swaps, {
          one: 'Ein Swap von dir wartet und geht weiter',
          other: `${swaps} Swaps von dir warten und gehen weiter`,
        })}, sobald es antwortet. Zahle nicht doppelt.`,
  dates: 'Die Termine deiner Rückzahlungen ändern sich nicht.',
  overTheChain:
    'Bleibt der Betreiber weg, kommt dein Geld auf Arkade über die Bitcoin-Chain zurück: ab dem Termin der ' +
    'Rückzahlung, langsamer und gegen Gebühren.',
  refused: 'Neue Swaps, die es brauchen, werden bis dahin abgelehnt.',
  works: (networks) => `Swaps allein über ${list.format(networks)} gehen weiter.`,
};

export const band: Part<typeof enBand> = {
  here: 'du bist hier',
  now: (time) => `Jetzt, ${time}`,
  lag: (span) => `Es gilt die Uhr der Chain. Sie geht ${span} nach, jeder Termin kommt also etwa um so viel später.`,
  normal: 'Normal',
  normalMeans: 'Der Swap endet von selbst.',
  refund: 'Rückzahlung',
  refundAlone: 'Zurück zu dir.',
  refundMeans: 'Zurück zu dir, wenn der Anbieter unterschreibt.',
  danger: 'Gefahr',
  dangerMeans: 'Dein Arkade-Coin läuft ab.',
  dangerClaim: 'Der Anbieter darf seine Seite zurücknehmen.',
  until: 'Bis',
  from: 'Ab',
  aloneAfter: 'ohne fremde Hilfe.',
  doneBy: 'Fertig bis',
  on: 'Am',
  noLastDate: 'Es gibt keinen letzten Termin.',
};

export const gate: Part<typeof enGate> = {
  title: 'Token des Besitzers',
  lead: 'Es beweist, dass dieser Knoten dir gehört. Es steht in der Datei owner.token im Datenordner.',
  label: 'Token',
  hint: 'Dieser Tab behält es, bis er geschlossen wird.',
  open: 'Öffnen',
  wrong:
    'Was hier antwortet, hat dieses Token nicht. Kopiere es noch einmal aus der Datei owner.token; ist es dasselbe, ' +
    'hat ein anderes Programm den Port des Knotens.',
};

export const labels: Part<typeof enLabels> = {
  title: 'Name und Notiz',
  lead: 'Nur für dich: Kein Anbieter sieht es, und am Swap ändert es nichts. Du findest den Swap damit wieder.',
  label: 'Name',
  note: 'Notiz',
  save: 'Speichern',
  saved: 'Gespeichert.',
  tooLong: (most) => `Höchstens ${most} Zeichen`,
};

export const logs: Part<typeof enLogs> = {
  title: 'Protokoll',
  lead: 'Was der Knoten seit seinem Start getan hat, das Neueste zuerst. Schlüssel und Wörter stehen nie darin.',
  back: 'Einstellungen',
  find: 'In den Zeilen suchen',
  findHint: 'Id eines Swaps oder Teil einer Zeile',
  level: 'Zeigen',
  levels: { info: 'Alles', warn: 'Warnungen', error: 'Fehler' },
  redact: 'Adressen, Schlüssel und Hosts schwärzen',
  redactMeans:
    'Was du kopierst oder speicherst, kannst du dann anderen zeigen. Ids von Swaps bleiben, damit ein Anbieter den ' +
    'Swap findet.',
  caption: 'Zeilen des Protokolls, das Neueste zuerst',
  time: 'Zeit',
  how: 'Stufe',
  what: 'Was geschah',
  swap: 'Swap',
  tones: { info: 'In Ordnung', warn: 'Warnung', error: 'Fehler' },
  more: 'Ältere Zeilen',
  dropped: (count) =>
    `${count} ältere Zeilen werden hier nicht mehr gezeigt. Der Knoten hat sie auf seine Standardfehlerausgabe geschrieben.`,
  none: 'Nichts wurde geschrieben',
  noneMeans: 'Keine Zeile passt, oder der Knoten ist eben erst gestartet.',
  report: 'Als Bericht speichern',
  copy: 'Bericht kopieren',
  reported: (lines) => `Ein Bericht von ${lines} Zeilen wurde gespeichert. Lies ihn, bevor du ihn verschickst.`,
  copied: (lines) => `Ein Bericht von ${lines} Zeilen ist in der Zwischenablage. Lies ihn, bevor du ihn verschickst.`,
};

export const networks: Part<typeof enNetworks> = {
  arkade: 'Arkade',
  lightning: 'Lightning',
  bitcoin: 'Bitcoin',
  'evm:1': 'Ethereum',
  'evm:137': 'Polygon',
  'evm:42161': 'Arbitrum',
  'evm:30': 'Rootstock',
  'evm:31': 'Rootstock-Testnetz',
  other: (chain) => `EVM-Chain ${chain}`,
};

export const parts: Part<typeof enParts> = {
  copy: 'Kopieren',
  copied: 'Kopiert',
  copyFailed: 'Markiere den Text und kopiere ihn: Dieser Browser erlaubt es der Seite nicht.',
  copyThing: (thing) => `Kopieren: ${thing}`,
  close: 'Schließen',
  scan: 'QR-Code lesen',
  loading: 'Lädt…',
  noConnection: 'keine Verbindung',
  notWhileAway: 'Warte, bis der Knoten antwortet.',
  notAnswering: 'Der Knoten antwortet nicht. Läuft er nicht, starte ihn wieder.',
  unreachable: 'Der Knoten antwortet nicht',
  unreachableMeans:
    'Läuft er, gehen offene Swaps weiter. Wurde er beendet, starte ihn: Er macht dort weiter, wo er war. Diese Seite ' +
    'fragt alle paar Sekunden.',
  lastHeard: (time) => `Letzte Antwort um ${time}.`,
  nothingMatches: 'Nichts passt.',
  left: (span) => `noch ${span}`,
  lateBy: (span) => `${span} zu spät`,
  toNetwork: 'nach',
  allCosts: 'Alle Kosten',
  costParts: {
    service: 'Dienst',
    network: 'Netzgebühren',
    gasless: 'Gas, für dich bezahlt',
    exchange: 'Börse',
  },
  atLeast: (amount) => `mindestens ${amount}`,
  percent: (share) => `${share} %`,
  costsUnknown: 'bekannt, sobald es ein Angebot gibt',
  usually: 'Meistens',
  slowDay: 'An einem langsamen Tag',
  vanishes: 'Der Anbieter verschwindet',
  worst: 'Schlimmster Fall',
  whatCanHappen: 'Was geschehen kann',
  minutesLeft: (minutes) => plural(minutes, { one: 'Noch 1 Minute.', other: `Noch ${minutes} Minuten.` }),
  spans: { now: 'jetzt', d: 'd', h: 'h', min: 'min', s: 's' },
};

export const prices: Part<typeof enPrices> = {
  forWhich: 'Preise für',
  all: 'Alle Richtungen',
  pegs: 'Was den Kurs eines gebundenen Tokens überwacht',
  ownTerms: 'eigene Preise',
  caption: 'Was ein Kunde von dem bekäme, was er schickt',
  previewTitle: 'Angebote an Kunden',
  previewMeans: 'Was ein Kunde für einen Betrag bekommt, nach Gebühren. Vor dem Speichern ändert sich nichts.',
  previewChanges: 'Das Angebot jetzt, und hinter „dann“ das Angebot nach dem Speichern.',
  direction: 'Richtung',
  on: (chain) => `auf ${chain}`,
  fee: 'Gebühr',
  feeText: (share, flat) => (flat === null ? share : `${share} und ${flat}`),
  spread: (share) => `${share} davon, weil diese Seite knapp wird`,
  limits: 'Grenzen',
  limitsText: (least, most) => `${least} bis ${most} sats`,
  noRoom: 'jetzt kann nichts ausgezahlt werden',
  of: (amount) => `Von ${amount}`,
  refused: 'abgelehnt',
  unknown: 'jetzt nicht bekannt',
  then: 'dann',
  wait: 'Berichtige das markierte Feld, um die Angebote zu sehen.',
  none: 'Kein Paar ist verbunden, also gibt es nichts anzubieten.',
};

export const review: Part<typeof enReview> = {
  title: 'Swap prüfen',
  lead: 'Nichts wird begonnen und nichts bezahlt, bevor du unten drückst.',
  back: 'Ändern',
  from: 'Du gibst',
  to: 'Du bekommst',
  about: (amount) => `etwa ${amount}`,
  on: (amount, network) => `${amount} auf ${network}`,
  least: 'Kommt mindestens an',
  atMost: (amount) => `Höchstens ${amount}`,
  tokenInstead: (amount) => `${amount}, oder das Bitcoin-Token selbst`,
  claimFee: (amount) => `${amount}, abzüglich der Gebühr einer Bitcoin-Transaktion`,
  destination: 'Es geht an',
  own: (network) => `deine eigene Wallet auf ${network}`,
  provider: 'Mit',
  deadline: 'Zeit zum Zahlen',
  within: (span) => `binnen ${span}; die genaue Zeit steht dort, wo du zahlst`,
  byInvoice: 'bis die Rechnung abläuft; die Zeit steht dort, wo du zahlst',
  places: {
    arkade: 'Zurück in deine Arkade-Wallet',
    bitcoin: 'Zurück in deine Bitcoin-Wallet',
    lightning: 'Zurück in die Wallet, die gezahlt hat',
    evm: 'Zurück auf das Konto deiner Swaps',
  },
  wayBack: 'Wenn er nicht zu Ende geht',
  backWithin: (place, span) => `${place}, ohne fremde Hilfe, spätestens nach ${span}`,
  backInstead: (text) => `${text}, als das Bitcoin-Token, das die Börse daraus gemacht hat`,
  backItself: (place) => `${place}, von selbst`,
  costs: 'Alle Kosten',
  make: (amount) => `Beginnen, dann ${amount} zahlen`,
};
