import { createJsonPrice } from '../adapters/prices/json-price.ts';
import type { ReadFiat } from '../service/owner/display.ts';

/** Asks the owner's source of prices in fiat. */
export const readFiat: ReadFiat = ({ url, path }) => createJsonPrice({ url, path })();
