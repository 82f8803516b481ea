import module from 'node:module';
import { places } from './places.ts';

/**
 * Node keeps what it compiled beside the program, for the next start and for every process that this one starts. Never
 * in the folder for temporary files, which is Node's own choice: what others may write there would be run.
 */
export function keepCompiled(): void {
  const { compiled } = places();
  if (compiled === null || process.env['NODE_COMPILE_CACHE'] !== undefined) return;
  process.env['NODE_COMPILE_CACHE'] = compiled;
  module.enableCompileCache(compiled);
}
