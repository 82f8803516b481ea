import type { providers as enProviders } from '../en/providers.ts';
import type { restore as enRestore } from '../en/restore.ts';
import type { Part } from '../part.ts';
import { plural } from './plural.ts';

export const providers: Part<typeof enProviders> = {
  title: 'Anbieter',
  provider: 'Anbieter',
  bestOf: (count) => `Der beste von ${count} Anbietern`,
  chosen: 'Der Anbieter, den du gewählt hast',
  thisNode: 'Dieser Knoten',
  compare: 'Vergleichen',
  hide: 'Die anderen ausblenden',
  another: 'Einen weiteren zum Vergleich aufnehmen',
  asking: 'Fragt die Anbieter',
  caption: 'Was jeder Anbieter täte, der beste zuerst',
  arrives: 'Kommt an',
  given: 'Du gibst',
  costs: (amount) => `kostet ${amount}`,
  costsUnknown: 'alle Kosten enthalten',
  time: 'Wie lange',
  usual: (span) => `Meistens ${span}`,
  usualUnknown: 'Noch keine Swaps mit ihm',
  usualMeans: 'Meistens: der Median deiner eigenen Swaps mit ihm, von der Zahlung bis zur Ankunft.',
  worst: (span) => `Verschwindet er: zurück binnen ${span}`,
  worstUnknown: 'Verschwindet er: von selbst zurück',
  gone: (name) => `${name} hat dafür jetzt kein Angebot. Wähle einen anderen Anbieter.`,
  why: {
    away: 'Antwortet nicht. Wird alle 15 s wieder gefragt.',
    paused: 'Nimmt jetzt keine neuen Swaps.',
    'pair-missing': 'Bietet diese Richtung nicht an.',
    'below-minimum': 'Unter seinem Minimum.',
    'above-maximum': 'Über seinem Maximum.',
    declined: 'Lehnt diesen Swap ab.',
    unreadable: 'Seiner Antwort ist nicht zu trauen.',
  },
  limits: (least, most) => `Er zahlt ${least} bis ${most} aus.`,
  says: (detail) => `In seinen Worten: ${detail}`,
  none: 'Noch keiner: Du tauschst mit diesem Knoten allein.',
  address: 'Adresse eines Anbieters',
  addressHint: 'Mit https, oder mit http auf diesem Computer',
  addressFirst: 'Trag zuerst eine Adresse ein.',
  add: 'Aufnehmen',
  removeIt: 'Entfernen',
  remove: (name) => `${name} entfernen`,
  added: (name) => `${name} antwortet als Anbieter und wird ab jetzt gefragt.`,
  removed: (name) => `${name} wird nicht mehr gefragt. Offene Swaps mit ihm gehen weiter.`,
  already: 'Dieser Anbieter steht in der Liste.',
  fault: {
    away: 'Unter dieser Adresse antwortet nichts, also wurde sie nicht aufgenommen. Prüfe sie, oder versuche es später.',
    unreadable:
      'Der Server unter dieser Adresse ist kein Anbieter von Swaps und wurde nicht aufgenommen. Frag seinen Betreiber nach der ' +
      'richtigen Adresse.',
    'nothing-offered': 'Der Anbieter bietet jetzt keinen Swap an und wurde nicht aufgenommen. Versuche es später.',
  },
};

export const restore: Part<typeof enRestore> = {
  title: 'Meine Swaps suchen',
  lead:
    'Deine Wörter bringen deine Schlüssel zurück. Anbieter wissen, welche Swaps damit gemacht wurden: Sluice fragt ' +
    'jeden, prüft jede Antwort selbst und macht mit dem weiter, was stimmt.',
  again:
    'Wörter, die anderswo benutzt wurden, machen bei Schlüsseln weit hinter allen bekannten weiter: Ein Geheimnis, das ' +
    'einmal gezeigt wurde, schützt kein zweites Mal. Knoten wie dieser finden solche Swaps wieder; andere Anbieter und ' +
    'Wallets vielleicht nicht. Behalte also das Rettungspaket, und nenne hier jeden Anbieter, mit dem du getauscht ' +
    'hast. Den Schlüssel eines Swaps, den sein Anbieter verschweigt, kennt nur eine Einlösung in deiner Arkade- oder ' +
    'Bitcoin-Wallet; ohne sie könnte er noch einmal benutzt werden. Stell Wörter also nur einmal wieder her, und ' +
    'behalte den Ordner.',
  provider: 'Ein Anbieter, mit dem du getauscht hast',
  providerHint: 'Seine https-Adresse. Leer: dieser Knoten und die Anbieter der Einstellungen werden gefragt.',
  look: 'Meine Swaps suchen',
  looking: (judged) =>
    `Sluice sucht… ${
      judged === 0
        ? ''
        : `${plural(judged, { one: `${judged} Datensatz`, other: `${judged} Datensätze` })} bisher geprüft.`
    }`,
  outcomes: {
    reopened: 'Geht hier weiter',
    held: 'War schon hier',
    over: 'Zu Ende, kein Geld von dir ist darin',
    refused: 'Abgelehnt',
    later: 'Noch nicht',
  },
  reasons: {
    unreadable: 'Es lässt sich nicht als Swap lesen.',
    'unknown-direction': 'Diese Version von Sluice kennt solche Swaps nicht.',
    'not-ours': 'Keiner deiner Schlüssel ist darin.',
    'record-wrong': 'Es passt nicht zu deinen Wörtern und den Netzen, also geschieht nichts damit.',
    'network-away': 'Ein Netz, das es braucht, ist nicht verbunden. Verbinde es, und suche noch einmal.',
  },
  providers: {
    waiting: 'wird als Nächster gefragt',
    asking: 'wird gerade gefragt',
    done: 'hat geantwortet',
    silent: 'antwortet nicht: suche später noch einmal',
    cut: 'hat mehr Swaps, als Sluice erfragt, oder wurde unterbrochen',
  },
  thisNode: 'Dieser Knoten',
  asked: 'Gefragt',
  none: 'Dort ist kein Swap von dir bekannt',
  noneMeans:
    'Hast du mit jemand anderem getauscht, nenne diesen Anbieter und suche noch einmal. Ein Anbieter, der für immer weg ' +
    'ist, kann nichts sagen: Nimm das Rettungspaket.',
  result: (total, reopened) =>
    `${plural(total, { one: `${total} Swap ist`, other: `${total} Swaps sind` })} dort bekannt, ` +
    `${plural(reopened, { one: `${reopened} geht`, other: `${reopened} gehen` })} hier jetzt weiter.`,
  leftOut: (count) => `${count} weitere sind nicht aufgeführt.`,
  swaps: 'Was aus jedem wurde',
  open: 'Öffnen',
};
