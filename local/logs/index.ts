export type { LogsHappening } from './happenings';
export type { LogEvent } from './log-group';
export { Logs } from './logs';
export { logsResourceTypes } from './resources';
