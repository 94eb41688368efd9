export type { LogEvent } from './log-events';
export { Logs } from './logs';
export type { Functions, LogsHappening } from './ports';
export { logsResourceTypes } from './resources';
