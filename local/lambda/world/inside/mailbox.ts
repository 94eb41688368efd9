import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { PostedReport, WorldInput, WorldSettings } from '../protocol';

/** What a worker is started with. */
export interface WorkerStart {
  readonly settings: WorldSettings;
  /** One 32-bit number that the engine raises with every input. */
  readonly signal: SharedArrayBuffer;
}

/** The worker's end of the line to the engine. */
export class Mailbox {
  private readonly signal: Int32Array;

  constructor(
    private readonly port: MessagePort,
    signal: SharedArrayBuffer,
  ) {
    this.signal = new Int32Array(signal);
  }

  post(report: PostedReport): void {
    this.port.postMessage(report);
  }

  /** Blocks the thread until the engine sends the next input. */
  waitForInput(): WorldInput {
    for (;;) {
      const raised = Atomics.load(this.signal, 0);
      const received = receiveMessageOnPort(this.port);
      if (received) return received.message;
      Atomics.wait(this.signal, 0, raised);
    }
  }
}
