import { z } from 'zod';
import { creating, dealFields, frame, refused } from '../shape.ts';
import type { Pair, State } from './pair.ts';

/** A state as it is kept: of each stage the fields of both halves that are legal together. */
export function schemaOf({ fund: { fields: ours }, claim: { fields: theirs } }: Pair): z.ZodType<State> {
  const agreed = {
    deal: z.strictObject({ ...dealFields, source: ours.source, target: theirs.target }),
    ...frame,
    ...ours.base,
  };
  const stage = (at: string, fields: z.ZodRawShape, target: z.ZodRawShape) =>
    z.strictObject({ at: z.literal(at), ...agreed, ...fields, target: z.strictObject(target) });
  return z.discriminatedUnion('at', [
    creating,
    refused,
    stage('claiming', {}, theirs.claiming),
    ...Object.entries<z.ZodRawShape>(ours.stages).map(([at, fields]) => stage(at, fields, theirs.facts)),
  ]) as unknown as z.ZodType<State>;
}
