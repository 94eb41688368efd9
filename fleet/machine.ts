import { randomBytes } from 'node:crypto';
import { FLEET_SETTINGS_VARIABLE } from '../policy/fleet/fleet-settings';

/** What a client takes from the machine it runs on. */
export interface Machine {
  readonly nowMs: () => number;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** Random bytes, from a generator for cryptography. */
  readonly freshBytes: (count: number) => Uint8Array;
}

export const machine: Machine = {
  nowMs: () => Date.now(),
  wait: milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds)),
  freshBytes: count => new Uint8Array(randomBytes(count)),
};

/** The settings that the construct gave to this function. */
export function ownSettings(): string | undefined {
  return process.env[FLEET_SETTINGS_VARIABLE];
}
