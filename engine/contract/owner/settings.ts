import { z } from 'zod';
import { jsonObject } from '../wire.ts';

export const settings = z.object({
  settings: jsonObject('The configuration in force; a secret that is set shows as true'),
});
export type Settings = z.infer<typeof settings>;
