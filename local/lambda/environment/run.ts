import type { Scheduled } from '../../kernel/timeline';
import { answerTooLarge, type Outcome, type PlacedInvocation } from '../invocation';
import type { Interrupter } from './interrupter';

/** What the environment is doing for whom. */
export interface Run {
  readonly invocation: PlacedInvocation;
  readonly done: (outcome: Outcome) => Promise<void>;
  /** When the init phase, or later the handler, began. */
  startedAtMs: number;
  deadline: Scheduled;
  initDurationMs?: number;
  /** The code never came to rest and was stopped, so that only its deadline is left to wait for. */
  stopped?: boolean;
  /** Ends it before it is done, if a scenario wants that. */
  interrupter?: Interrupter | undefined;
  outcome?: Outcome;
}

type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;

/** An outcome, before it is known how long it took. */
export type Settled = DistributiveOmit<Outcome, 'durationMs'>;

/** What an answer of the handler comes to. */
export function answered(payload: string): Settled {
  const error = answerTooLarge(payload);
  return error ? { kind: 'error', error } : { kind: 'success', payload };
}
