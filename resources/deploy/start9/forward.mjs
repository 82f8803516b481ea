// Loaded by `node --import`: inside a container the interface of the container hands on to the node, which listens on
// loopback alone. Who reaches the container is the platform's to say.
import { connect, createServer } from 'node:net';

const from = { host: '0.0.0.0', port: 8733 };
const to = { host: '127.0.0.1', port: 7733 };

createServer((near) => {
  const far = connect(to);
  near.on('error', () => far.destroy()).on('close', () => far.destroy());
  far.on('error', () => near.destroy()).on('close', () => near.destroy());
  near.pipe(far).pipe(near);
})
  .listen(from)
  .unref();
