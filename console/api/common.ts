/** Why something cannot be read or done. */
export interface Problem {
  /** `input` is the user's to correct; `credentials` are missing, expired or refused. */
  readonly kind: 'input' | 'denied' | 'credentials' | 'unreachable' | 'throttled' | 'read-only' | 'failed';
  readonly says: string;
  /** Whether the user may ask for it again with `isForced`. */
  readonly mayForce?: true;
}

/** The severities of the doctor, the most severe first. */
export type Severity = 'rejected' | 'loses' | 'at-risk' | 'on-change' | 'unwatched' | 'note';

export interface Depths {
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
}
