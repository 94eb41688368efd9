export type { LogsHappening } from './happenings';
export type { LogEvent } from './log-event';
export { Logs } from './logs';
export { logsResourceTypes } from './resources';
