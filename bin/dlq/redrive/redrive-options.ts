import type { DlqOptions } from '../command';

/** What `dlo dlq redrive` is told. */
export interface RedriveOptions extends DlqOptions {
  readonly to?: string;
  readonly rate?: string;
  readonly canary?: string;
  readonly filter?: string;
  readonly force?: boolean;
  /** The id of a plan, or that there is none. @default - it only plans */
  readonly execute?: string | true;
}

/** Our choice: what most consumers take, and ten times less than SQS can. */
export const DEFAULT_RATE = 50;

/** Our choice: enough to see a failure that is not rare, and few enough to see it ten times. */
export const DEFAULT_CANARY = 10;
