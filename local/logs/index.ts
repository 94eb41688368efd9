export type { LogEvent } from './log-events';
export { Logs } from './logs';
export type { Functions } from './ports';
export { logsResourceTypes } from './resources';
export type { LogsTraceEvent } from './trace-events';
