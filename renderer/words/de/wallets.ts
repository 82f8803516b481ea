import type { wallets as english } from '../en/wallets.ts';
import type { Part } from '../part.ts';
import { plural } from './plural.ts';

const gasCoins: Readonly<Record<string, string>> = {
  'evm:1': 'ETH',
  'evm:137': 'POL',
  'evm:42161': 'ETH',
  'evm:30': 'RBTC',
  'evm:31': 'RBTC',
};

export const wallets: Part<typeof english> = {
  title: 'Wallets',
  lead: 'Arkade, Bitcoin und EVM-Konten kommen aus deinen Wörtern. Lightning gehört zu deinem Lightning-Knoten.',
  gasCoin: (network) => gasCoins[network] ?? 'Coin für Gas',
  free: 'Frei',
  inSwaps: 'In Swaps',
  underWay: 'Unterwegs',
  asset: 'Wert',
  actions: 'Tun',
  bitcoinCaption: 'Bitcoin nach Netz, in sats',
  tokensCaption: (chain) => `Coins und Token auf ${chain}`,
  bitcoin: 'Bitcoin',
  on: (symbol, network) => `${symbol} auf ${network}`,
  means: {
    arkade: 'sofort, kostet fast nichts',
    bitcoin: 'on-chain, 10 Minuten bis eine Stunde',
    lightning: 'in den Kanälen deines Lightning-Knotens',
  },
  gasMeans: 'bezahlt das Gas, wenn der Knoten Token bewegt',
  feeReserve: (amount) => `${amount} davon bleiben für Gebühren`,
  asOf: (time, network) =>
    `Stand ${time}, ` +
    `${network === 'arkade' ? 'Betreiber weg' : network === 'lightning' ? 'Lightning-Knoten weg' : 'Netz weg'}`,
  awayBeside: (amount) => `und ${amount}, wo jetzt niemand antwortet`,
  unknownUnits: 'in seinen kleinsten Einheiten',
  noLightning:
    'Lightning hat hier keine Wallet: Bezahle eine Rechnung aus einer beliebigen Lightning-Wallet, und empfange mit ' +
    'einem Swap nach Arkade.',
  none: 'Keine Wallet ist verbunden',
  noneMeans: 'Eine Wallet erscheint, sobald ihr Netz antwortet.',
  toSettings: 'Zu den Verbindungen',
  receive: 'Empfangen',
  send: 'Senden',
  actOn: (act, what) => `${act}: ${what}`,
  receiveTitle: (network) => `Auf ${network} empfangen`,
  receiveArkade: 'Nutze sie, sooft du willst.',
  receiveBitcoin: 'Jedes Mal eine frische Adresse. Sie gehört dir für immer.',
  receiveEvm: 'Eine Adresse für den Coin und für jedes Token dieser Chain.',
  receiveLightning: 'Eine Rechnung für eine Zahlung.',
  invoiceOver: 'Wie viel',
  makeInvoice: 'Rechnung stellen',
  theAddress: 'die Adresse',
  theInvoice: 'die Rechnung',
  qrOf: (network) => `QR-Code der Adresse auf ${network}`,
  done: 'Fertig',
  sendTitle: (what) => `${what} senden`,
  to: 'An',
  toHint: {
    arkade: 'Eine Arkade-Adresse desselben Betreibers',
    lightning: 'Eine Rechnung',
    bitcoin: 'Eine Bitcoin-Adresse',
  },
  toEvm: 'Eine Adresse auf dieser Chain, 0x und 40 Stellen',
  amount: 'Wie viel',
  swapAccount: 'Konto deiner Swaps',
  swapAccountLead:
    'Swaps von einer EVM-Chain nehmen ihre Token von diesem Konto, das auf jeder Chain dasselbe ist. Was nicht ' +
    'getauscht wurde, bleibt hier, bis du es weiterschickst. Das bezahlt sein eigener Coin.',
  swapAccountCaption: 'Salden deines Swap-Kontos, nach Chain',
  swapAccountAway: (chain) => `${chain} antwortet jetzt nicht, der Saldo ist also nicht bekannt.`,
  forSwaps: 'Für Swaps behalten',
  sendOn: (what) => `${what} weiterschicken`,
  gasAtMost: (amount) => `Sein Gas kostet höchstens ${amount}, Erhöhungen zusammen. Darüber wartet es.`,
  allToken: 'Alles, was frei ist',
  all: 'Alles',
  allMeans: 'Alles, was frei ist, abzüglich der Gebühr',
  maxFee: 'Was es höchstens kosten darf',
  maxFeeHint: 'Leer: was die Obergrenzen in den Einstellungen erlauben',
  speed: 'Wie bald',
  speeds: {
    'next-block': 'Im nächsten Block',
    hour: 'Innerhalb einer Stunde',
    day: 'Innerhalb eines Tages',
  },
  feeOf: (fee, rate) => `Gebühr ${fee} sats, bei ${rate} sat/vB.`,
  arrives: (amount) => `${amount} sats kommen an.`,
  feesUnknown: 'Was es kostet, ist gerade nicht bekannt',
  ceiling: (amount) => `Kostet höchstens ${amount}, Erhöhungen der Gebühr zusammen. Darüber wird nichts gesendet.`,
  ceilingRouting: (amount) => `Der Weg darf höchstens ${amount} kosten. Darüber wird nichts gesendet.`,
  free2: (amount) => `${amount} sind frei.`,
  needAddress: 'Trag eine Adresse ein.',
  needAmount: 'Gib eine Zahl über null an.',
  tooMuch: (amount) => `Nur ${amount} sind frei.`,
  takeThat: 'Das nehmen',
  badFee: 'Gib ganze sats an.',
  review: 'Durchsehen',
  reviewTitle: 'Ist das richtig?',
  reviewMeans: 'Was gesendet ist, lässt sich nicht zurücknehmen.',
  sendNow: (what) => `${what} jetzt senden`,
  back: 'Ändern',
  sent: 'Unterwegs. Sende es nicht noch einmal.',
  sentMeans: 'Sluice macht weiter, bis es endgültig ist, auch nach einem Neustart.',
  notSent: 'Noch nicht gesendet. Sende es nicht noch einmal.',
  notSentMeans:
    'Das Netz hat es noch nicht angenommen. Sluice behält es und sendet es, sobald das Netz es annimmt, auch nach ' +
    'einem Neustart.',
  transaction: 'Transaktion',
  job: 'Auftrag',
  cancel: 'Jetzt nicht',
  leave: 'Arkade nach Bitcoin verlassen',
  leaveLead:
    'Bringt jeden Coin, der es wert ist, auf die Bitcoin-Chain, ob der Betreiber antwortet oder nicht. Es ist langsam ' +
    'und kostet On-Chain-Gebühren: für einen Betreiber, der weg ist, nicht zum Senden.',
  leaveTitle: 'Arkade jetzt verlassen?',
  leaveMeans:
    'Die Coins sind danach nicht mehr auf Arkade. Es lässt sich nicht rückgängig machen und dauert, bis die Frist des ' +
    'Betreibers um ist.',
  leaveNow: 'Jetzt nach Bitcoin ausziehen',
  leaving: (count, amount) =>
    `${plural(count, { one: `${count} Coin zieht aus`, other: `${count} Coins ziehen aus` })}: ${amount}. Lass Sluice ` +
    'laufen, bis sie da sind.',
  leaveNone: 'Jeder Coin ist weniger wert als die Gebühren seines Ausstiegs, also bleiben alle auf Arkade.',
  leaveEmpty: 'Auf Arkade ist nichts, was ausziehen könnte',
};
