import { connect, type Socket } from 'node:net';
import { parentPort } from 'node:worker_threads';

/** A load: the same bytes `total` times, over kept-alive connections. */
export interface HttpLoad {
  readonly port: number;
  /** The whole request. */
  readonly request: string;
  /** The size of each answer in bytes. All answers have the same size, so the client need not parse them. */
  readonly answerBytes: number;
  readonly connections: number;
  readonly total: number;
}

/**
 * Keeps one request under way on each connection, until `total` have been answered. It never sleeps meanwhile: with a client
 * that sleeps, the measured time of a request varied by half from run to run.
 */
function run({ port, request, answerBytes, connections, total }: HttpLoad, done: () => void): void {
  const bytes = Buffer.from(request);
  const sockets: Socket[] = [];
  let sent = 0;
  let answered = 0;
  const stayAwake = (): void => {
    if (answered < total) setImmediate(stayAwake);
  };
  const next = (socket: Socket): void => {
    if (sent === total) return;
    sent += 1;
    socket.write(bytes);
  };
  for (let i = 0; i < connections; i += 1) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let received = 0;
    socket.on('data', chunk => {
      received += chunk.length;
      if (received < answerBytes) return;
      received -= answerBytes;
      answered += 1;
      next(socket);
      if (answered < total) return;
      for (const open of sockets) open.destroy();
      done();
    });
    sockets.push(socket);
    next(socket);
  }
  stayAwake();
}

parentPort?.on('message', (load: HttpLoad) => run(load, () => parentPort?.postMessage('done')));
