import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * TCP proxy in front of a database server. It can stop passing bytes without closing connections, as a broken network
 * does.
 */
export interface FreezingProxy {
  readonly port: number;
  readonly freeze: () => void;
  /** Stops passing bytes from the server to clients. Still passes bytes from clients to the server. */
  readonly freezeAnswers: () => void;
  /** Closes all connections, and each new connection immediately. */
  readonly refuse: () => void;
  /** Ends the effect of `freeze`, `freezeAnswers` and `refuse`. */
  readonly thaw: () => void;
  /** Connects new clients to another server. `open` tells whether open connections end, hang or stay. */
  readonly switchTo: (serverPort: number, open: 'end' | 'hang' | 'keep') => void;
  /** Stops passing bytes from the server to a client once the client has sent text that matches `words`. */
  readonly muteAt: (words: RegExp) => void;
  /** True once a client has sent text that matches the `words` of `muteAt`. */
  readonly isMute: () => boolean;
  readonly close: () => Promise<void>;
}

export const startFreezingProxy = async (firstServerPort: number): Promise<FreezingProxy> => {
  const sockets = new Set<Socket>();
  const servers = new Set<Socket>();
  const abandoned = new Set<Socket>();
  let serverPort = firstServerPort;
  let frozen = false;
  let refusing = false;
  let isMute = false;
  let fatalWords: RegExp | undefined;

  const carry = (from: Socket, to: Socket, onBytes: (bytes: Buffer) => void): void => {
    sockets.add(from);
    from.on('data', (bytes: Buffer) => {
      onBytes(bytes);
      to.write(bytes);
    });
    if (frozen) from.pause();
    from.on('error', () => undefined);
    from.once('close', () => {
      sockets.delete(from);
      servers.delete(from);
      abandoned.delete(from);
      to.destroy();
    });
  };
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const proxy = createServer((client) => {
    if (refusing) {
      client.destroy();
      return;
    }
    const server = connect(serverPort, '127.0.0.1');
    servers.add(server);
    carry(client, server, (bytes) => {
      if (fatalWords?.test(bytes.toString('latin1')) !== true) return;
      server.pause();
      isMute = true;
    });
    carry(server, client, () => undefined);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');

  return {
    port: address.port,
    freeze: () => {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    freezeAnswers: () => {
      for (const socket of servers) socket.pause();
    },
    refuse: () => {
      refusing = true;
      endAll();
    },
    thaw: () => {
      frozen = false;
      refusing = false;
      for (const socket of sockets) if (!abandoned.has(socket)) socket.resume();
    },
    switchTo: (port, open) => {
      serverPort = port;
      if (open === 'end') endAll();
      if (open === 'hang') for (const socket of sockets) abandoned.add(socket.pause());
    },
    muteAt: (words) => {
      fatalWords = words;
    },
    isMute: () => isMute,
    close: async () => {
      proxy.close();
      endAll();
      await once(proxy, 'close');
    },
  };
};

/** Starts a proxy in front of the server of a PostgreSQL address, and runs a function with the address of the proxy. */
export const throughProxy = async <A>(
  address: string,
  use: (proxied: string, proxy: FreezingProxy) => Promise<A>,
): Promise<A> => {
  const url = new URL(address);
  const proxy = await startFreezingProxy(Number(url.port));
  url.port = String(proxy.port);
  try {
    return await use(url.href, proxy);
  } finally {
    await proxy.close();
  }
};
