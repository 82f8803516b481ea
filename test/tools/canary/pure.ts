// Every line below must fail to compile together with the pure rooms: one that passes means that a dependency has
// brought the types of Node or of the browser back in, and the compiler no longer guards the rooms. Each line needs its
// own error.
export const environment = process.env;
export const bytes = Buffer.from('00', 'hex');
export const answer = fetch('http://127.0.0.1');
export const timer = setTimeout(() => undefined, 1);
export const page = document;
export const secret = crypto.getRandomValues(new Uint8Array(32));
export const speech = console;
export const stopper = new AbortController();
