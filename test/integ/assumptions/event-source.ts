/** The source of the events that the rule of the stack matches. */
export const EVENT_SOURCE = 'dead-letter-office.assumptions';
