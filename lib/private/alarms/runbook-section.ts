/** The section of docs/runbook.md that says what an alarm means, how to look, and what to do. */
export enum RunbookSection {
  DEAD_LETTERS_ARRIVED = 'dead-letters-arrived',
  DEAD_LETTERS_WAITING = 'dead-letters-waiting',
  DEAD_LETTERS_AGEING = 'dead-letters-ageing',
  DEAD_LETTERS_UNATTENDED = 'dead-letters-unattended',
  DEAD_LETTERS_LOST = 'dead-letters-lost',
  MESSAGES_NOT_KEPT = 'messages-not-kept',
  TOPIC_LOSES_MESSAGES = 'topic-loses-messages',
  DELIVERIES_FAILING = 'deliveries-failing',
  QUEUE_NOT_KEEPING_UP = 'queue-not-keeping-up',
  QUEUE_IN_FLIGHT_LIMIT = 'queue-in-flight-limit',
  FUNCTION_DEAD_LETTERS_LOST = 'function-dead-letters-lost',
  FUNCTION_DESTINATION_FAILED = 'function-destination-failed',
  FUNCTION_EVENTS_DROPPED = 'function-events-dropped',
  FUNCTION_LOOP_STOPPED = 'function-loop-stopped',
}
