export type { LogEvent } from './log-events';
export { Logs } from './logs';
export type { Functions, LogsTraceEvent } from './ports';
export { logsResourceTypes } from './resources';
