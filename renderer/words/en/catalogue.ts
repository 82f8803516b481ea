import { networks } from './networks.ts';
import { band } from './band.ts';
import { oneSwap } from './one-swap.ts';
import { parts } from './parts.ts';
import { shell } from './shell.ts';
import { swap } from './swap.ts';
import { gate } from './gate.ts';

/** A screen's sentences are a file here and a line below. */
export const en = {
  band,
  gate,
  networks,
  oneSwap,
  parts,
  shell,
  swap,
};
