import type { StartDecision } from '../../../lambda/redrive/ports';

/** What begins a run: a task of ten messages, one a second. */
export const CANARY: StartDecision = {
  kind: 'start',
  step: 0,
  carrier: 'task',
  messagesPerSecond: 1,
  messages: 10,
  reason: 'the schedule asks for a run',
};
