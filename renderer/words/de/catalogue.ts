import type { Catalogue } from '../every-sentence.ts';
import type { Part } from '../part.ts';
import { board } from './board.ts';
import { checklist } from './checklist.ts';
import { display } from './display.ts';
import { oneSwap } from './one-swap.ts';
import { providers, restore } from './providers.ts';
import { sandbox } from './sandbox.ts';
import { scan } from './scan.ts';
import { settings } from './settings.ts';
import { setup } from './setup.ts';
import { activity, refunds, shell } from './shell.ts';
import { away, band, gate, labels, logs, networks, parts, prices, review } from './small.ts';
import { swap } from './swap.ts';
import { wallets } from './wallets.ts';

/** German. Nothing here or below imports sentences or code of the page, which comes after it. */
export const de: Part<Catalogue> = {
  away,
  band,
  between: { to: 'nach' },
  display,
  gate,
  labels,
  logs,
  networks,
  oneSwap,
  parts,
  prices,
  review,
  shell,
  swap,
  activity,
  refunds,
  sandbox,
  scan,
  settings,
  setup,
  wallets,
  board,
  checklist,
  providers,
  restore,
};
