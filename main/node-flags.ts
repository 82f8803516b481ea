/**
 * For every process that runs the node. Left alone V8 lets what is new grow to 64 MB before it looks what of it still lives, and moves
 * that in one go: 15 to 60 milliseconds in which no claim goes on. With 8 MB for each half it takes 2 to 8, and looks more often.
 */
export const nodeFlags: readonly string[] = ['--max-semi-space-size=8'];
