// Opens and resets connections to a port without end, `count` at a time. Prints a line when the first is open.
import { connect } from 'node:net';

const [port, count] = process.argv.slice(2).map(Number);
let opened = 0;

const open = () => {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.on('connect', () => {
    if (opened === 0) process.stdout.write('open\n');
    opened += 1;
    socket.resetAndDestroy();
  });
  socket.on('close', open);
};

for (let started = 0; started < count; started += 1) open();
