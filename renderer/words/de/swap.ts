import type { swap as english } from '../en/swap.ts';
import type { Part } from '../part.ts';

export const swap: Part<typeof english> = {
  title: 'Swap',
  lead: 'Was es kostet, siehst du, bevor du zahlst.',
  leadChanged: 'Der Preis hat sich geändert.',
  give: 'Du gibst',
  allOf: (amount) => `Alle ${amount} kommen`,
  allOfIt: 'Alles kommt',
  get: 'Du bekommst',
  noQuote: 'kein Angebot',
  turn: 'Swap umdrehen',
  cannotTurn: 'Dieser Knoten tauscht nicht in die andere Richtung.',
  from: 'Von',
  to: 'nach',
  useAll: (amount) => `Alle ${amount} nehmen`,
  noAmount: 'Ein Betrag ist eine Zahl, wie 25,000.',
  most: (amount) => `${amount} ist das meiste, was ein Swap jetzt fasst.`,
  least: (amount) => `${amount} ist das wenigste, was sich tauschen lässt.`,
  use: (amount) => `${amount} nehmen`,
  invoiceSays: 'Die Rechnung sagt, wie viel',
  givesAtMost: (amount) => `Höchstens ${amount}; der Rest bleibt dir`,
  arrivesAtLeast: (amount) => `Mindestens ${amount}, oder das Bitcoin-Token selbst`,
  destination: 'Wohin es geht',
  destinationHint: 'Füge Rechnung, Lightning-Adresse oder LNURL dessen ein, der bezahlt werden soll.',
  destinationOnChain: (chain) => `Füge die Adresse auf ${chain} ein, die es bekommen soll.`,
  ownWallet: (network) => `Es kommt in deine eigene Wallet auf ${network}, eine Adresse braucht es nicht.`,
  claimFee: 'Die Gebühr der Transaktion, die es einlöst, geht von dem Betrag ab, den du bekommst.',
  pasteHere: 'Füge eine Rechnung oder Adresse ein: Das Formular füllt den Rest aus.',
  recognised: {
    invoice: (amount) => `Lightning-Rechnung über ${amount}`,
    arkade: 'Arkade-Adresse',
    bitcoin: 'Bitcoin-Adresse',
    toOwn: (what, network) =>
      `${what}: Was du bekommst, geht in deine eigene Wallet auf ${network}; von dort kannst du es weiterschicken.`,
    evm: 'Adresse einer EVM-Chain',
    evmOn: (chain) => `Adresse, zu bezahlen auf ${chain}`,
    lnurl: 'LNURL',
    lightningAddress: 'Lightning-Adresse',
    takes: (what, least, most) => `${what}, nimmt ${least} bis ${most} sats`,
    askingPayee: 'Fragt, was sie nimmt',
    mistyped:
      'Ein Buchstabe dieser Adresse ist falsch: Die Großbuchstaben passen nicht. Kopiere sie neu aus der Wallet.',
    nobodys: 'Niemand hat den Schlüssel dieser Adresse: Was dorthin geht, ist verloren. Füge eine eigene Adresse ein.',
    foreign: (of, here) =>
      of === ''
        ? `Das ist für ein anderes Netz. Dieser Knoten ist auf ${here}: Füge eine Rechnung oder Adresse von ${here} ein.`
        : `Das ist für ${of}, und dieser Knoten ist auf ${here}: Füge eine Rechnung oder Adresse von ${here} ein.`,
    unreadable: 'Das ist keine Rechnung und keine Adresse. Füge es ein, wie die Wallet es zeigt.',
    notPossible: (what) => `${what}: Dorthin kann dieser Knoten von hier nicht tauschen.`,
  },
  payeeTakes: {
    most: (amount) => `Der Empfänger nimmt höchstens ${amount} sats.`,
    least: (amount) => `Der Empfänger nimmt mindestens ${amount} sats.`,
  },
  sandboxAddress: 'Eine Adresse der Sandbox nehmen',
  sandboxInvoice: 'Eine Rechnung der Wallet der Sandbox nehmen',
  service: (percent) => `Dienst, ${percent} %`,
  asking: 'Fragt nach dem Preis',
  pay: (amount) => `Prüfen und ${amount} zahlen`,
  payBare: 'Prüfen und zahlen',
  whyNot: {
    amount: 'Trag zuerst einen Betrag ein.',
    limits: 'Wähle einen Betrag innerhalb der Grenzen.',
    destination: 'Trag zuerst ein, wohin es geht.',
    quote: 'Warte auf einen Preis.',
    payee: 'Warte, bis der Empfänger antwortet.',
    direction: 'Dieses Paar kann hier jetzt nicht getauscht werden.',
  },
  renews: 'Der Preis wird hier erneuert. Wird er schlechter, wirst du noch einmal gefragt. Bezahlt ist noch nichts.',
  changed: {
    get: (difference) => `Du bekämst ${difference} weniger als vor einer Minute.`,
    give: (difference) => `Du gäbest ${difference} mehr als vor einer Minute.`,
  },
  changedMeans: (before, after) => `${before} ist jetzt ${after}.`,
  newPrice: 'Zum neuen Preis tauschen',
  notNow: 'Jetzt nicht',
  nothingOffered: 'Jetzt kann nichts getauscht werden',
  nothingOfferedMeans:
    'Die Netze dieses Knotens sind noch nicht verbunden. Diese Seite geht von selbst weiter, wenn sie es sind.',
  noQuoteYet: 'Was geschehen kann',
  noQuoteMeans: 'Mit dem ersten Preis siehst du, wie lange es dauert und was es kostet, auch im schlimmsten Fall.',
  cases: {
    usual: 'Meistens',
    slow: 'An einem langsamen Tag',
    provider: 'Der Anbieter verschwindet',
    operator: 'Schlimmster Fall: Auch der Arkade-Betreiber verschwindet',
    node: 'Schlimmster Fall: Sluice ist aus',
  },
  about: (span) => `etwa ${span}`,
  atMostSpan: (span) => `höchstens ${span}`,
  ofTheWallet: 'bis die Zahlung abläuft',
  costs: (amount) => `Kostet ${amount}.`,
  costsAtMost: (amount) => `Kostet höchstens ${amount}.`,
  costsGas: 'Kostet das Gas einer Transaktion deines Kontos.',
  costsUnknown: 'Die Kosten bestimmt die Börse; was mindestens ankommt, steht oben.',
  usually: 'Du zahlst, der Anbieter zahlt seine Seite, und Sluice bringt den Swap zu Ende.',
  slow: 'Ein Netz ist ausgelastet: Der Swap dauert länger.',
  slowExchange:
    'Ein Netz ist ausgelastet, oder die Börse zahlt zu wenig: Sluice wartet und holt das Bitcoin-Token, bevor es zu ' +
    'spät ist.',
  vanishes: {
    arkade: (amount) =>
      `${amount} zurück in deine Arkade-Wallet, ohne fremde Hilfe. Der Termin steht da, bevor du zahlst.`,
    bitcoin: (amount) =>
      `${amount} zurück in deine Bitcoin-Wallet, ohne fremde Hilfe, abzüglich der Gebühr einer Transaktion. Der Termin ` +
      'steht da, bevor du zahlst.',
    lightning: (amount) => `${amount} zurück in die Wallet, die gezahlt hat: Die Zahlung kommt nie zum Abschluss.`,
    evm: (amount) => `${amount} zurück, ohne fremde Hilfe. Der Termin steht da, bevor du zahlst.`,
  },
  worst: {
    arkade: 'Auch der Arkade-Betreiber verschwindet: Sluice bringt deinen Coin auf die Bitcoin-Chain, gegen Gebühren.',
    arkadeGet:
      'Der Arkade-Betreiber verschwindet vor der Einlösung: Sluice bringt den Coin auf die Bitcoin-Chain, gegen ' +
      'Gebühren.',
    other: 'Sluice ist länger als das aus, bevor das Geld da ist. Lass es laufen.',
  },
};
