/**
 * For every process that runs the node. Left alone V8 lets what is new grow to 64 MB before it looks what of it still
 * lives, and moves that in one go: 15 to 60 milliseconds in which no claim goes on. With 8 MB for each half it takes 2
 * to 8, and looks more often.
 */
export const nodeFlags: readonly string[] = ['--max-semi-space-size=8'];

/**
 * The same for Electron, whose main process runs the node. V8 reads it before it makes its heap, so it has to stand on
 * the command line: what the program appends to it, or sets in V8, once it runs comes too late.
 */
export const electronFlag = `--js-flags=${nodeFlags.join(' ')}`;
