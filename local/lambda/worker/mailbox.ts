import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { PostedReport, ThreadInput, ThreadSettings } from '../environment/protocol';

/** The data with which the engine starts a worker. */
export interface WorkerStart {
  readonly settings: ThreadSettings;
  /** A 32-bit counter that the engine increments with every input. */
  readonly signal: SharedArrayBuffer;
}

/** The worker's side of the connection to the engine. */
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
  waitForInput(): ThreadInput {
    for (;;) {
      const raised = Atomics.load(this.signal, 0);
      const received = receiveMessageOnPort(this.port);
      if (received) return received.message;
      Atomics.wait(this.signal, 0, raised);
    }
  }
}
