import type { AlarmStateValue } from './alarm-configuration';

export const INITIAL_REASON = 'Unchecked: Initial alarm creation';

/** What an alarm makes of things, since when, and why. */
export interface AlarmState {
  readonly value: AlarmStateValue;
  readonly reason: string;
  /** A JSON document; empty when there is none. */
  readonly reasonData: string;
  /** When it was last set, to whatever value. Milliseconds since the Unix epoch. */
  readonly updatedAtMs: number;
  /** When the value last changed. Milliseconds since the Unix epoch. */
  readonly transitionedAtMs: number;
}

/** A value turned into another. */
export interface StateChange {
  readonly previous: AlarmState;
  readonly next: AlarmState;
}

/** The state of an alarm that has not looked at anything yet. */
export const initialState = (nowMs: number): AlarmState => ({
  value: 'INSUFFICIENT_DATA',
  reason: INITIAL_REASON,
  reasonData: '',
  updatedAtMs: nowMs,
  transitionedAtMs: nowMs,
});
