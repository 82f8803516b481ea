import type { oneSwap as english } from '../en/one-swap.ts';
import type { Part } from '../part.ts';
import { plural } from './plural.ts';
import { actors, outcomes, reasons, stepHeadings, stepTitles, turnActs, whys } from './steps.ts';

const list = new Intl.ListFormat('de');

export const oneSwap: Part<typeof english> = {
  actors,
  outcomes,
  reasons,
  stepHeadings,
  stepTitles,
  turnActs,
  whys,
  back: 'Verlauf',
  notThere: 'Diesen Swap gibt es nicht',
  notThereMeans: 'Dieser Knoten hat keinen Swap mit dieser Adresse.',
  sides: (give, giveOn, get, getOn) => `${give} auf ${giveOn} zu ${get} auf ${getOn}.`,
  started: 'Begonnen',
  nothingToDo: 'Für dich nichts zu tun',
  needsYou: 'Braucht dich',
  needsYouNow: 'Braucht dich jetzt',
  providerSaid: (words) => `Der Anbieter sagte: „${words}“`,
  creating: 'Die Bedingungen des Anbieters werden geprüft, bevor du zahlen kannst. Das dauert einen Moment.',
  timeLeft: 'Zeit zum Zahlen',
  noTime: 'vorbei',
  notInTime: 'Nicht rechtzeitig bezahlt',
  overTime: 'Die Zeit zum Zahlen ist vorbei. Zahle nicht mehr.',
  overTimeMeans:
    'Hast du schon gezahlt, tu nichts: Sluice sieht es, und es kommt an oder kommt zurück. Sonst beginne einen neuen ' +
    'Swap.',
  notLockedYet: (give) => `${give} auf deinem Konto, noch nicht gesperrt`,
  notNow: 'Zahle jetzt nicht',
  unseenByNode: 'Der Knoten antwortet nicht, also sähe hier niemand die Zahlung. Zahle, wenn er wieder antwortet.',
  unseenOn: (networks) =>
    `${list.format(networks)} ${plural(networks.length, { one: 'antwortet', other: 'antworten' })} nicht, die Zahlung ` +
    'würde hier also nicht gesehen. Zahle, wenn das vorbei ist.',
  arrivesAt: 'Es kommt an bei',
  ownWalletOn: (network) => `deine eigene Wallet auf ${network}`,
  cancel: 'Abbrechen, nichts wurde bezahlt',
  cancelMeans: 'Hast du es schon geschickt, brich nicht ab: Es ist unterwegs.',
  cancelTitle: 'Diesen Swap abbrechen?',
  cancelAsk:
    'Die Seite verlangt dann keine Zahlung mehr. Sluice beobachtet weiter: Eine Zahlung, die trotzdem kommt, ist nicht ' +
    'verloren, der Swap geht zu Ende oder die Zahlung kommt zurück.',
  cancelNow: 'Abbrechen',
  cancelKeep: 'Behalten',
  exactly: 'Genau dieser Betrag',
  copyAmount: 'Betrag kopieren',
  asBtc: (amount) => `${amount} BTC`,
  onePayment: {
    arkade:
      'Schick es in einer Zahlung. Ein anderer Betrag wird nicht getauscht, ist aber nicht verloren: Er kommt zurück.',
    bitcoin:
      'Schick es in einer Zahlung. Ein anderer Betrag wird nicht getauscht, ist aber nicht verloren: Er kommt zurück.',
    evm:
      'Dieses Konto gehört dir, und Sluice sperrt den Betrag von dort. Schickst du weniger, wartet Sluice auf den Rest. ' +
      'Schickst du mehr, bleibt der Rest dort: Schick ihn unter Wallets weiter. Fehlen Coins für Gas, steht es hier.',
  },
  to: {
    invoice: 'Bezahle diese Rechnung',
    arkade: 'An diese Arkade-Adresse',
    bitcoin: 'An diese Bitcoin-Adresse',
    evm: 'An dieses Konto von dir auf dem Knoten',
  },
  copyPay: {
    invoice: 'Rechnung kopieren',
    arkade: 'Adresse kopieren',
    bitcoin: 'Adresse kopieren',
    evm: 'Adresse kopieren',
  },
  qr: {
    invoice: 'QR-Code der Rechnung. Dasselbe steht als Text daneben.',
    arkade: 'QR-Code mit Arkade-Adresse und Betrag. Dasselbe steht als Text daneben.',
    bitcoin: 'QR-Code mit Bitcoin-Adresse und Betrag. Dasselbe steht als Text daneben.',
    evm: 'QR-Code des Kontos. Dasselbe steht als Text daneben.',
  },
  qrHint: { invoice: 'Scanne ihn mit deiner Lightning-Wallet', other: 'Adresse und Betrag in einem Code' },
  compare: 'Vergleiche die erste und die letzte Gruppe mit deiner Wallet.',
  openWallet: 'In einer anderen Wallet öffnen',
  payFromWallet: 'Aus deiner Wallet zahlen',
  walletHolds: (free) => `Deine Wallet auf diesem Knoten hat ${free}.`,
  walletPays: 'Deine Wallet zahlt gerade. Es steht hier in Sekunden.',
  walletUnclear:
    'Der Knoten hat nicht geantwortet, vielleicht zahlt deine Wallet also gerade. Zahle nicht noch einmal, bevor diese ' +
    'Seite es sagt.',
  payFromSandbox: {
    invoice: 'Aus der Wallet der Sandbox zahlen',
    arkade: 'Aus dem Faucet der Sandbox zahlen',
    bitcoin: 'Aus dem Faucet der Sandbox zahlen',
    evm: 'Aus dem Faucet der Sandbox zahlen',
  },
  watching: 'Sluice achtet auf deine Zahlung. Sie steht hier in Sekunden.',
  next: 'Was als Nächstes geschieht',
  ifStops: 'Wenn der Swap stockt: Der ganze Betrag kommt zu dir zurück',
  fromBare: 'von',
  byBare: 'bis',
  oncePaid: 'Einmal gezahlt, ist alles rückzahlbar ab',
  alone: 'ohne fremde Hilfe.',
  oncePaidReturns: 'Einmal gezahlt, geht der Swap zu Ende oder deine Wallet bekommt alles zurück.',
  safe: 'Dein Geld ist sicher. Stockt der Swap, ist alles rückzahlbar ab',
  safeOpen: 'Dein Geld ist sicher. Es kann jetzt zurückgenommen werden, ohne fremde Hilfe.',
  stands: 'Deine Zahlung wurde gesehen und gehört dir, bis der Swap fertig ist. Zahle nicht noch einmal.',
  safeReturns:
    'Der Anbieter sagt, die Rechnung sei bezahlt. Ohne dein Geheimnis kann niemand die Zahlung nehmen: Der Swap geht ' +
    'zu Ende, oder die Zahlung geht zurück in die Wallet, die gezahlt hat. Zahle nicht noch einmal.',
  safeBack:
    'Die Zahlung geht zurück in die Wallet, die gezahlt hat. Niemand kann sie ohne dein Geheimnis nehmen, und das hat ' +
    'diesen Knoten nicht verlassen. Zahle nicht noch einmal.',
  safeBackFrom: 'Dein Geld ist sicher. Rückzahlbar ab',
  safeClaim: 'Was dir gehört, ist für dich gesperrt, und Sluice holt es gerade. Lass es laufen, bis es da ist.',
  neverPaid: 'Sluice hat keine Zahlung gesehen. Zahle nicht mehr.',
  paidAllTheSame: 'Kommt trotzdem eine Zahlung, geht der Swap zu Ende oder die Zahlung geht zurück.',
  paidAllTheSameFrom: 'Kommt trotzdem eine Zahlung, geht der Swap zu Ende oder sie ist rückzahlbar ab',
  looking: 'Sluice sucht in den Netzen nach dem Ausgang dieses Swaps. Zahle nichts.',
  leaving: {
    wallet: 'Deine Wallet zahlt gerade. Die Zahlung wurde noch nicht gesehen. Zahle nicht noch einmal.',
    account:
      'Sluice sperrt es gerade von deinem Konto, und die Chain zeigt die Sperre noch nicht. Was nicht gesperrt ist, ' +
      'bleibt auf deinem Konto. Zahle nicht noch einmal.',
  },
  unclear:
    'Deine Zahlung wurde gesehen und seither ausgegeben. Sluice prüft, wer sie ausgegeben hat. Zahle nicht noch einmal.',
  taken: 'Der Anbieter hat deine Zahlung geholt, seine Seite gehört also dir: Sluice holt sie gerade. Lass es laufen.',
  cameBack: 'Deine Zahlung ist zurückgekommen.',
  asOf: (time) => `Der Knoten antwortet nicht. Das sagte er um ${time}`,
  stopped: {
    none: 'Bis dahin wurde keine Zahlung gesehen. Zahle nichts, solange der Knoten nicht antwortet.',
    stands: 'Deine Zahlung wurde gesehen und ist rückzahlbar ab',
    moving: 'Deine Zahlung war unterwegs. Zahle nicht noch einmal.',
  },
  startIt: 'Wurde der Knoten beendet, geht nichts weiter, bis er wieder läuft: Starte ihn.',
  startNow: 'Der Knoten antwortet nicht: Starte ihn jetzt, denn niemand sonst kann für dich handeln.',
  stoppedBand: 'Die Termine ändern sich nicht, solange der Knoten aus ist.',
  lastKnown: 'Der Swap, wie er zuletzt bekannt war',
  noAnswer: 'Antwortet nicht',
  dangerUntil: 'Geld kann verloren gehen nach',
  danger: 'Geld kann verloren gehen.',
  dangerAct: 'Nimm es jetzt zurück, und lass Sluice laufen, bis es zurück ist.',
  dangerMeans: 'Sluice versucht es von selbst weiter. Lass es laufen.',
  bandTitle: {
    create: 'Im Gange',
    wait: 'Im Gange',
    flight: 'Unterwegs. Zahle nicht noch einmal.',
    claim: 'Gleich da',
    refund: 'Auf dem Rückweg',
    opens: (span) => `Die Rückzahlung öffnet in ${span}`,
  },
  mayClose: 'Du kannst dieses Fenster schließen. Sluice arbeitet weiter und zeigt es hier, wenn das Geld da ist.',
  steps: 'Schritte',
  whoWaits: 'Wer auf wen wartet, bis wann',
  whoWaitsCaption: 'Wer in diesem Swap handelt, was er tut und bis wann',
  whoseTurn: 'Wer dran ist',
  what: 'Was',
  until: 'Bis',
  whyNow: 'Wenn es nicht geschieht',
  ifNot: 'Dein Geld kommt zu dir zurück.',
  ifNotUnpaid: 'Keine Zahlung wurde gesehen: Nichts muss zurückkommen.',
  ifNotLeft: 'Was noch in deiner Wallet oder auf deinem Konto ist, bleibt dort.',
  ifNotUnclear: 'Sluice sucht weiter.',
  ifNotClaimed: 'Der Anbieter darf seine Seite von da an zurücknehmen. Sluice versucht es weiter.',
  takesBackItself: 'Sluice nimmt es von selbst zurück.',
  noDate: 'kein Termin',
  takeBack: 'Zurücknehmen',
  opens: 'Öffnet',
  details: 'Einzelheiten und Transaktionen',
  swapId: 'Swap',
  provider: 'Anbieter',
  thisNode: 'Dieser Knoten',
  providerSwap: 'Id des Swaps beim Anbieter',
  transactions: {
    fund: 'Deine Zahlung',
    lock: 'Die Sperre des Anbieters',
    claim: 'Die Einlösung für dich',
    claimOfProvider: 'Die Einlösung des Anbieters',
    refund: 'Die Rückzahlung',
    exit: 'Der Ausstieg nach Bitcoin',
  },
  onNetwork: (what, network) => `${what} auf ${network}`,
  theTransaction: 'die Transaktion',
  arrived: 'Angekommen, endgültig',
  onBare: 'auf',
  gave: 'Du hast gegeben',
  amountOn: (amount, network) => `${amount} auf ${network}`,
  took: 'Dauer',
  claimFee: 'Gebühr der Einlösung',
  claimFeeMeans: 'aus dem, was ankam',
  allCosts: 'Alle Kosten',
  costs: {
    service: 'Vom Anbieter berechnet',
    network: 'Netzgebühren',
    gasless: 'Gas, für dich bezahlt',
    exchange: 'Börse',
  },
  again: 'Noch ein Swap',
  report: 'Bericht schreiben',
  proof: 'Nachweis',
  save: 'Beleg speichern',
  over: {
    finished: 'Es ist angekommen.',
    returned: 'Alles ist zurück in deiner Wallet.',
    returnedByItself:
      'Er ging nicht zu Ende, die Zahlung kam also nie zum Abschluss: Die Wallet, die gezahlt hat, hat sie zurück oder ' +
      'bekommt sie von selbst zurück.',
    returnedToAccount: 'Alles ist zurück auf dem Konto deiner Swaps. Schick es unter Wallets weiter.',
    returnedByChain: 'Es ist zurück in deiner Wallet, abzüglich der Gebühr der Transaktion, die es brachte.',
    unpaid: 'Keine Zahlung wurde gesehen. Zahle nicht mehr.',
    unseen:
      'Der Swap endete, bevor deine Zahlung gesehen wurde. Zahle nicht noch einmal: Unter Wallets siehst du, ob die ' +
      'Zahlung hinausging.',
    refused: 'Kein Swap wurde begonnen und nichts bezahlt.',
    lost:
      'Der Anbieter hat seine Seite zurückgenommen, nachdem dein Geld hinausgegangen war. Er schuldet dir diesen ' +
      'Betrag: Schick ihm den Bericht mit den Transaktionen unten, und tausche mit einem anderen, bis er gezahlt hat.',
  },
  overTitle: {
    finished: 'Fertig',
    returned: (give) => `Deine ${give} sind zurück`,
    notFinished: 'Der Swap ging nicht zu Ende',
    unpaid: 'Der Swap endete unbezahlt',
    refused: 'Kein Swap wurde begonnen',
    lost: (get) => `${get} nicht angekommen`,
  },
};
