import { failedWith, PortFailure, type ConnectionFailure } from '../../domain/errors.ts';

/** With what the Lightning port rejects. */
export type LightningFailure =
  | ConnectionFailure
  | 'hold-absent'
  | 'hold-cancelled'
  | 'hold-late'
  | 'hold-open'
  | 'hold-refused'
  | 'hold-settled'
  | 'hold-taken'
  | 'invoice-malformed'
  | 'invoice-mismatch'
  | 'lightning-away'
  | 'lightning-behind'
  | 'lightning-certificate'
  | 'lightning-error'
  | 'lightning-starting'
  | 'lightning-timeout'
  | 'lightning-unauthorized'
  | 'lightning-unclear'
  | 'payment-refused'
  | 'payment-too-late';

export const lightningFailure = PortFailure.of<LightningFailure>();

/** Whether it failed with one of these codes. */
export const failedOnLightning = failedWith<LightningFailure>();
