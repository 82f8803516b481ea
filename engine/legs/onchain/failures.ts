import { failedWith, PortFailure, type ConnectionFailure } from '../../domain/errors.ts';

/** With what the Bitcoin chain and the wallet on it reject. */
export type OnchainFailure =
  | ConnectionFailure
  | 'bitcoin-away'
  | 'bitcoin-behind'
  | 'bitcoin-no-index'
  | 'bitcoin-pruned'
  | 'bitcoin-unauthorized'
  | 'bitcoin-unbelieved'
  | 'coins-wait'
  | 'dust'
  | 'no-coins'
  | 'no-room'
  | 'too-dear';

export const onchainFailure = PortFailure.of<OnchainFailure>();

/** Whether it failed with one of these codes. */
export const failedOnchain = failedWith<OnchainFailure>();
