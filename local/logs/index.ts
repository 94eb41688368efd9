export type { LogsHappening } from './happenings';
export type { LogEvent } from './log-event';
export { Logs } from './logs';
export type { Functions } from './ports';
export { logsResourceTypes } from './resources';
