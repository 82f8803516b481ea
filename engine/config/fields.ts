import { z } from 'zod';
import { readEvmAddress } from '../domain/evm-address.ts';

/* What fields of the configuration are made of. */

export const wholeSats = z.int().min(0).max(2_100_000_000_000_000);
export const wholeSeconds = z.int().min(1).max(31_536_000);
export const file = z.string().min(1);
const noUser = (url: string): boolean => !/^[a-z0-9]+:\/\/[^/]*@/i.test(url);
export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'it takes an http or https address' })
  .refine(noUser, 'it takes no user name or password, which belong into a file of their own');
export const socksUrl = z
  .url({ protocol: /^socks5h?$/, error: 'it takes a socks5:// address' })
  .refine(noUser, 'it takes no user name or password, and the proxy must ask for none');
export const hostname = z.string().regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i, 'it takes a host name');

/** Bytes of a credential, sealed under the key of the seed. Only owner routes store them. */
export const sealed = z.strictObject({ sealed: z.string().regex(/^[0-9a-f]+$/) }).optional();

export const evmAddress = z
  .string()
  .refine(
    (text) => readEvmAddress(text) !== null,
    'it takes an address (0x and 40 hex digits, in capital and small letters only if they are its checksum)',
  );
export const basisPoints = z.int().min(0).max(10_000);
