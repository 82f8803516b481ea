import { z } from 'zod';
import { bitcoinNetworks } from '../../domain/chain.ts';
import { request } from '../field.ts';
import { text } from '../scalars.ts';
import { count, flag, integer, sats, unixTime, words } from '../wire.ts';

export const ownerStatus = z.object({
  version: words('Version of the node'),
  network: z.enum(bitcoinNetworks).meta({ description: 'Bitcoin network of the data folder' }),
  started: unixTime('When the node started'),
  paused: z.object({ by: z.enum(['owner', 'guard']), reason: words('Why'), since: unixTime('Since when') }).nullable(),
  live: flag('Whether strangers are offered swaps'),
  unguarded: words('Why a data folder that is rolled back as a whole may go unnoticed').optional(),
  networks: z.array(
    z.object({
      name: words('arkade, lightning, bitcoin or evm:137'),
      state: z.enum(['connected', 'away', 'absent']),
      detail: words('What is known about it'),
      waits: words('What waits although it answers, and for whom').optional(),
      height: count('Height of its tip').optional(),
      lag_seconds: integer(
        "How far its clock is behind this machine's, negative when it is ahead: median time past on Bitcoin, the " +
          'latest block on EVM chains; elsewhere the age of its last answer',
      ).optional(),
      unsaved_sats: sats(
        'What lies at the Arkade operator and could not leave it alone (arkade.maxUnsavedSats)',
      ).optional(),
    }),
  ),
  open_swaps: count('Swaps that are not over'),
  at_risk_sats: sats('What the node has locked and not got back'),
});
export type OwnerStatus = z.infer<typeof ownerStatus>;

export const pauseBody = request({ reason: text('reason', 'why swaps are paused', 500) }, (wire) => wire);
