import { Duplex } from 'node:stream';

const realSetImmediate = setImmediate;

/** Node.js reads at most this many bytes from a socket at once. The reader of a large body can stop there. */
const MOST_BYTES_AT_ONCE = 65_536;

/** The receiver of what is written to a stream. */
export interface Peer {
  /** Calls `taken` once the receiver accepts more. */
  receive(chunk: Buffer, taken: () => void): void;
  receiveEnd(): void;
  hangUp(): void;
}

/**
 * The readable half of an in-memory connection. Bytes arrive in a later turn of the event loop, as from a real network.
 * The sender waits while the reader has enough.
 */
export class Inbox implements Peer {
  private waiting: (() => void) | undefined;

  constructor(
    private readonly stream: Duplex,
    private readonly arrived: () => void = () => {},
  ) {}

  receive(chunk: Buffer, taken: () => void): void {
    const rest = chunk.subarray(MOST_BYTES_AT_ONCE);
    const next = rest.byteLength === 0 ? taken : () => this.receive(rest, taken);
    this.soon(() => {
      this.arrived();
      if (this.stream.push(chunk.subarray(0, MOST_BYTES_AT_ONCE))) next();
      else this.waiting = next;
    });
  }

  receiveEnd(): void {
    this.soon(() => this.stream.push(null));
  }

  hangUp(): void {
    realSetImmediate(() => this.stream.destroy());
  }

  /** The reader wants more data. */
  read(): void {
    const taken = this.waiting;
    this.waiting = undefined;
    taken?.();
  }

  private soon(deliver: () => void): void {
    realSetImmediate(() => {
      if (!this.stream.destroyed && !this.stream.readableEnded) deliver();
    });
  }
}

/** The server's end of an in-memory connection. */
export class ServerEnd extends Duplex {
  readonly inbox = new Inbox(this);

  constructor(private readonly client: Peer) {
    super();
  }

  override _read(): void {
    this.inbox.read();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.client.receive(chunk, done);
  }

  override _final(done: () => void): void {
    this.client.receiveEnd();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (error || !(this.writableFinished && this.readableEnded)) this.client.hangUp();
    done(error);
  }
}
