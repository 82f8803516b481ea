import { away } from './away.ts';
import { networks } from './networks.ts';
import { band } from './band.ts';
import { oneSwap } from './one-swap.ts';
import { parts } from './parts.ts';
import { shell } from './shell.ts';
import { swap } from './swap.ts';
import { gate } from './gate.ts';
import { activity } from './activity.ts';
import { refunds } from './refunds.ts';
import { settings } from './settings.ts';
import { setup } from './setup.ts';
import { wallets } from './wallets.ts';

/** A screen's sentences are a file here and a line below. */
export const en = {
  away,
  band,
  gate,
  networks,
  oneSwap,
  parts,
  shell,
  swap,
  activity,
  refunds,
  settings,
  setup,
  wallets,
};
