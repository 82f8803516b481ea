import { plural } from './plural.ts';

export const parts = {
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'Select the text and copy it: this browser does not let the page do it.',
  copyThing: (thing: string) => `Copy ${thing}`,
  close: 'Close',
  loading: 'Loading…',
  noConnection: 'no connection',
  notWhileAway: 'Wait until the node answers.',
  notAnswering: 'The node does not answer. If it does not run, start it again.',
  unreachable: 'The node does not answer',
  unreachableMeans:
    'If it runs, open swaps go on. If it stopped, start it: it continues where it was. This page asks every few ' +
    'seconds.',
  lastHeard: (time: string) => `Last answer at ${time}.`,
  nothingMatches: 'Nothing matches.',
  left: (span: string) => `${span} left`,
  lateBy: (span: string) => `late by ${span}`,
  toNetwork: 'to',
  allCosts: 'All costs',
  costParts: {
    service: 'Service',
    network: 'Network fees',
    gasless: 'Gas, paid for you',
    exchange: 'Exchange',
  },
  atLeast: (amount: string) => `at least ${amount}`,
  percent: (share: string) => `${share}%`,
  costsUnknown: 'known once there is a quote',
  usually: 'Usually',
  slowDay: 'On a slow day',
  vanishes: 'The provider vanishes',
  worst: 'Worst case',
  whatCanHappen: 'What can happen',
  minutesLeft: (minutes: number) => plural(minutes, { one: '1 minute left.', other: `${minutes} minutes left.` }),
  spans: { now: 'now', d: 'd', h: 'h', min: 'min', s: 's' },
};
