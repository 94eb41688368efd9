export type { LogsHappening } from './happenings';
export { Logs } from './logs';
export { logsResourceTypes } from './resources';
