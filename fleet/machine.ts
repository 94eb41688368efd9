import { randomBytes } from 'node:crypto';
import { FLEET_SETTINGS_VARIABLE } from '../policy/fleet/fleet-settings';

/** What a client takes from the machine it runs on. */
export interface Machine {
  readonly nowMs: () => number;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** Random bytes, from a generator for cryptography. */
  readonly freshBytes: (count: number) => Uint8Array;
  /**
   * How long a receive of `replay` waits for messages: 1 asks all servers of SQS. 0 is for a test in which virtual time stands still.
   * @default - 1; 0 with another `nowMs`
   */
  readonly pollSeconds: number;
}

export const machine: Machine = {
  nowMs: () => Date.now(),
  wait: milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds)),
  freshBytes: count => new Uint8Array(randomBytes(count)),
  pollSeconds: 1,
};

/** The settings that the construct gave to this function. */
export function ownSettings(): string | undefined {
  return process.env[FLEET_SETTINGS_VARIABLE];
}
