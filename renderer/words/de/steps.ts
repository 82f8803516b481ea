import type {
  actors as enActors,
  outcomes as enOutcomes,
  stepHeadings as enHeadings,
  stepTitles as enTitles,
  turnActs as enActs,
} from '../en/steps.ts';
import type { reasons as enReasons, whys as enWhys } from '../en/reasons.ts';
import type { Part } from '../part.ts';

export const whys: Part<typeof enWhys> = {
  'nothing-paid': 'In diesem Swap ist kein Geld von dir.',
  'in-progress': 'Der Swap kann noch zu Ende gehen. Du kannst den Anbieter trotzdem um eine Rückzahlung bitten.',
  'provider-locked':
    'Der Anbieter hat seine Seite gesperrt und unterschreibt solange keine Rückzahlung. Ab dem Termin brauchst du ' +
    'niemanden.',
  'provider-out': 'Der Anbieter bringt ihn nicht zu Ende und wird gebeten, deine Rückzahlung zu unterschreiben.',
  'provider-declined': 'Der Anbieter wurde gebeten und hat nicht unterschrieben. Ab dem Termin brauchst du niemanden.',
  'locktime-passed': 'Die Rückzahlung ist offen: Du brauchst keine fremde Hilfe.',
  locktime: 'Du brauchst keine fremde Hilfe, aber die Rückzahlung ist noch nicht offen.',
  'returns-by-itself': 'Eine Lightning-Zahlung kommt von selbst zurück.',
  surplus: 'Es wurde mehr gezahlt, als der Swap braucht: Der Rest gehört dir.',
  spent: 'Der Swap ist fertig: Was du gezahlt hast, gehört dem Anbieter.',
};

export const reasons: Part<typeof enReasons> = {
  'provider-refused': 'Der Anbieter hat den Swap nicht angenommen.',
  'provider-silent': 'Der Anbieter hat nicht rechtzeitig geantwortet.',
  'record-wrong': 'Die Bedingungen des Anbieters sind nicht die verlangten, also wurde nichts gezahlt.',
  'provider-ended': 'Der Anbieter hat den Swap beendet.',
  'never-locked': 'Der Anbieter hat seine Seite nie gesperrt.',
  'lock-unsafe': 'Die Sperre des Anbieters ließ sich nicht sicher einlösen, also hat Sluice sie nicht eingelöst.',
  'price-away':
    'Die Börse zahlt jetzt weniger als vereinbart. Sluice fragt jede Minute wieder und holt das Bitcoin-Token ' +
    'selbst, bevor es zu spät ist.',
  'not-exchanged': 'Die Börse hat nie gezahlt, was vereinbart war, also hast du das Bitcoin-Token selbst bekommen.',
  'taken-back': 'Der Anbieter hat seine Sperre zurückgenommen, während Sluice sie einlöste.',
  'refund-declined': 'Eine Rückzahlung ging noch nicht und wird wieder versucht.',
  'not-locked':
    'Der Betrag auf dem Konto dieses Swaps konnte noch nicht gesperrt werden. Sluice versucht es jede Minute wieder: ' +
    'Zahle nicht noch einmal.',
  flagged: 'Etwas an diesem Swap ist nicht wie erwartet. Bleibt es so, schreib unter Rückzahlungen einen Bericht.',
};

export const stepTitles: Part<typeof enTitles> = {
  create: (_, done) =>
    done ? 'Die Bedingungen des Anbieters sind geprüft' : 'Der Anbieter eröffnet den Swap, Sluice prüft ihn',
  pay: ({ give, giveOn }, done) => (done ? `Du hast ${give} auf ${giveOn} gezahlt` : `Du zahlst ${give} auf ${giveOn}`),
  confirm: ({ giveOn }, done) => (done ? `${giveOn} hat deine Zahlung bestätigt` : `${giveOn} bestätigt deine Zahlung`),
  lock: ({ get, getOn }, done) =>
    done ? `Der Anbieter hat ${get} auf ${getOn} gesperrt` : `Der Anbieter sperrt ${get} auf ${getOn}`,
  'confirm-lock': ({ getOn }, done) =>
    done ? `${getOn} hat die Sperre des Anbieters bestätigt` : `${getOn} bestätigt die Sperre des Anbieters`,
  'pay-out': (_, done) => (done ? 'Der Anbieter hat die Rechnung bezahlt' : 'Der Anbieter bezahlt die Rechnung'),
  exchange: (_, done) =>
    done ? 'Die Börse hat gezahlt, was vereinbart war' : 'Die Börse muss zahlen, was vereinbart war',
  claim: ({ get }, done) =>
    done ? `Sluice hat ${get} für dich geholt` : `Sluice holt ${get} für dich, auch wenn dieses Fenster zu ist`,
  look: (_, done) => (done ? 'Sluice hat den Ausgang gefunden' : 'Sluice sucht in den Netzen nach dem Ausgang'),
  'sign-refund': (_, done) =>
    done ? 'Der Anbieter hat deine Rückzahlung unterschrieben' : 'Der Anbieter unterschreibt deine Rückzahlung',
  'await-refund': (_, done) => (done ? 'Die Rückzahlung ist offen' : 'Die Rückzahlung öffnet an ihrem Termin'),
  refund: ({ give }, done) => (done ? `Sluice hat ${give} zurückgenommen` : `Sluice nimmt ${give} zurück`),
  'payment-returns': ({ give }, done) =>
    done ? `Die Zahlung von ${give} kam nie zum Abschluss` : `Die Zahlung von ${give} geht von selbst zurück`,
  finished: ({ get, getOn }) => `${get} auf ${getOn}`,
  returned: ({ give }) => `${give} gehören wieder dir`,
  closed: () => 'Der Swap endet, nichts wurde bezahlt',
};

export const stepHeadings: Part<typeof enHeadings> = {
  create: () => 'Der Anbieter eröffnet den Swap',
  pay: ({ give, giveOn }) => `Zahle ${give} auf ${giveOn}`,
  confirm: ({ giveOn }) => `${giveOn} bestätigt gerade deine Zahlung`,
  lock: ({ get }) => `Der Anbieter sperrt gerade ${get}`,
  'confirm-lock': ({ get, getOn }) => `${getOn} bestätigt gerade ${get} für dich`,
  'pay-out': () => 'Der Anbieter bezahlt gerade die Rechnung',
  exchange: ({ get }) => `Sluice wartet auf einen Preis, der ${get} bringt`,
  claim: ({ get }) => `Sluice holt gerade ${get} für dich`,
  look: () => 'Sluice prüft den Ausgang dieses Swaps',
  'sign-refund': ({ give }) => `Deine ${give} kommen zurück`,
  'await-refund': ({ give }) => `Deine ${give} kommen zurück`,
  refund: ({ give }) => `Deine ${give} kommen zurück`,
  'payment-returns': ({ give }) => `Die Zahlung von ${give} geht zurück`,
  finished: ({ get }) => `${get} angekommen`,
  returned: ({ give }) => `Deine ${give} sind zurück`,
  closed: () => 'Dieser Swap endet gerade',
};

export const turnActs: Part<typeof enActs> = {
  create: 'Eröffnet den Swap',
  pay: 'Zahlt',
  confirm: 'Bestätigt die Zahlung in einem Block',
  lock: 'Sperrt seine Seite',
  'confirm-lock': 'Bestätigt die Sperre des Anbieters',
  'pay-out': 'Bezahlt die Rechnung',
  exchange: 'Wartet auf einen besseren Preis; an seinem Termin holt es das Bitcoin-Token selbst',
  claim: 'Holt, was dir gehört',
  look: 'Sucht in den Netzen nach dem Ausgang: Zahle nichts',
  'sign-refund': 'Unterschreibt deine Rückzahlung',
  'await-refund': 'Die Rückzahlung öffnet an ihrem Termin',
  refund: 'Nimmt dein Geld zurück',
  'payment-returns': 'Die Zahlung geht zurück',
  finished: 'Nichts',
  returned: 'Nichts',
  closed: 'Nichts: Zahle nicht mehr',
};

export const actors: Part<typeof enActors> = {
  you: 'Du',
  provider: 'Der Anbieter',
  node: 'Dein Sluice',
  payer: 'Wer die Rechnung bezahlt',
  nobody: 'Niemand',
};

export const outcomes: Part<typeof enOutcomes> = {
  finished: 'Fertig',
  returned: 'Zurückgezahlt',
  unpaid: 'Nie bezahlt',
  refused: 'Nicht begonnen',
  lost: 'Verloren',
};
